#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the SBOM of an executable: an SPDX 2.3 document, and the licences of what it contains.

    sbom.py --build DIR --executable FILE --time SECONDS -o SBOM.spdx.json [--licences DIR] [--built-using FILE]

The components are those that the build really used. The build folder links the executable again, and the linker
names every archive from which it takes something. The compiler wrote down every header that an object needs.
dpkg knows the package of each of these files, and its version. A file outside the source tree that no package
has is an error, and so is a component without an entry in LICENCES: whoever adds a library adds its licence.

FILE is the executable that people get, for example stripped. SECONDS is the time of creation, so that the same
build gives the same bytes. --licences gets one file for each component, Debian's `copyright`. --built-using gets
the value of Debian's field Static-Built-Using."""
import argparse
import collections
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

# By Debian's source package: what the copyright file of the package says about the parts that are linked.
LICENCES = {
    'cli11': 'BSD-3-Clause',
    'fmtlib': 'MIT',
    'gcc-12': 'GPL-3.0-or-later WITH GCC-exception-3.1',
    'glibc': 'LGPL-2.1-or-later',
    'glslang': 'BSD-3-Clause AND BSD-2-Clause AND MIT AND Apache-2.0 AND GPL-3.0-or-later WITH Bison-exception-2.2',
    'libpng1.6': 'libpng-2.0',
    'llvm-toolchain-14': 'Apache-2.0 WITH LLVM-exception',
    'nlohmann-json3': 'MIT',
    'protobuf': 'BSD-3-Clause',
    'spirv-headers': 'MIT',
    'spirv-tools': 'Apache-2.0',
    'sqlite3': 'blessing',
    'vulkan-loader': 'Apache-2.0',
    'vulkan-volk': 'MIT',
    'zlib': 'Zlib',
}
# The C library is linked dynamically; its headers and those of the kernel describe an interface.
INTERFACES = {'glibc', 'linux'}


def output_of(*command, **options):
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)
    if run.returncode:
        sys.exit(f'sbom: failed: {" ".join(command)[:200]}')
    return run.stdout


def known_path(file):
    """The path under which dpkg knows a file: compilers also name it through links, such as /lib for /usr/lib."""
    folder, name = os.path.split(os.path.normpath(file))
    return os.path.join(os.path.realpath(folder), name)


def linked_files(build, scratch):
    """The archives and objects outside the build folder from which the linker takes something."""
    command = output_of('ninja', '-C', build, '-t', 'commands', 'refract').splitlines()[-1]
    command, replaced = re.subn(r' -o refract ', f' -o {scratch}/refract -Wl,--trace,--strip-all ', command)
    if replaced != 1:
        sys.exit(f'sbom: {build}: this is not the command that links refract: {command[:200]}')
    trace = output_of('sh', '-c', command, cwd=build)
    files = {known_path(line.split('(')[0]) for line in trace.splitlines() if line.startswith('/')}
    return {file for file in files if file.endswith(('.a', '.o'))}


def headers(build):
    """The headers outside the source tree that the objects of the executable include."""
    objects = {file for file in output_of('ninja', '-C', build, '-t', 'inputs', 'refract').splitlines()
               if file.endswith('.o')}
    files, current = set(), ''
    for line in output_of('ninja', '-C', build, '-t', 'deps').splitlines():
        if line.startswith(' '):
            if current in objects and line.strip().startswith('/usr/'):
                files.add(known_path(line.strip()))
        else:
            current = line.split(': #deps')[0]
    return files


def packages_of(files):
    """Debian's binary package of each file."""
    packages = {}
    for line in output_of('dpkg-query', '--search', *sorted(files)).splitlines():
        package, file = line.split(': ', 1)
        packages[file] = package.split(',')[0]
    if missing := files - packages.keys():
        sys.exit(f'sbom: no package has {sorted(missing)[0]}')
    return packages


def components_of(build):
    """By source package: its version, and what the executable has of it."""
    with tempfile.TemporaryDirectory() as scratch:
        linked = linked_files(build, scratch)
    packages = packages_of(linked | headers(build))
    names = sorted(set(packages.values()))
    form = '${binary:Package} ${source:Package} ${source:Version}\n'
    sources = {}
    for line in output_of('dpkg-query', '--show', f'--showformat={form}', *names).splitlines():
        binary, source, version = line.split()
        sources[binary.split(':')[0]] = (source, version)
    components = {}
    for file in sorted(packages):
        package = packages[file].split(':')[0]
        source, version = sources[package]
        part = components.setdefault(source, {'version': version, 'archives': [], 'headers': collections.Counter(),
                                              'package': package})
        if file in linked:
            part['archives'].append(os.path.basename(file))
        else:
            part['headers'][package] += 1
    return components


def has_code(source, component):
    return source not in INTERFACES and bool(component['archives'] or component['headers'])


def package_entry(source, component):
    evidence = [f'linked: {", ".join(sorted(component["archives"]))}'] if component['archives'] else []
    evidence += [f'{count} headers of {name}' for name, count in sorted(component['headers'].items())]
    return {
        'SPDXID': f'SPDXRef-{re.sub("[^A-Za-z0-9.]", "-", source)}',
        'name': source,
        'versionInfo': component['version'],
        'supplier': 'Organization: Debian',
        'downloadLocation': 'NOASSERTION',
        'filesAnalyzed': False,
        'licenseConcluded': 'NOASSERTION',
        'licenseDeclared': LICENCES.get(source, 'NOASSERTION'),
        'copyrightText': 'NOASSERTION',
        'sourceInfo': '; '.join(evidence),
        'externalRefs': [{'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl',
                          'referenceLocator': f'pkg:deb/debian/{source}@{component["version"].replace("+", "%2B")}'
                                              '?arch=source'}],
    }


def document(components, executable, version, time):
    data = executable.read_bytes()
    stamp = datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')
    entries = {source: package_entry(source, component) for source, component in sorted(components.items())
               if has_code(source, component) or source == 'glibc'}
    relationships = [('SPDXRef-DOCUMENT', 'DESCRIBES', 'SPDXRef-refract'),
                     ('SPDXRef-refract', 'CONTAINS', 'SPDXRef-File-refract')]
    for source, entry in entries.items():
        kind = 'DYNAMIC_LINK' if source == 'glibc' else \
            'STATIC_LINK' if components[source]['archives'] else 'CONTAINS'
        relationships.append(('SPDXRef-refract', kind, entry['SPDXID']))
    own = {'SPDXID': 'SPDXRef-refract', 'name': 'refract', 'versionInfo': version,
           'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False, 'licenseConcluded': 'Apache-2.0',
           'licenseDeclared': 'Apache-2.0', 'copyrightText': 'NOASSERTION', 'primaryPackagePurpose': 'APPLICATION'}
    sha256 = hashlib.sha256(data).hexdigest()
    return {
        'spdxVersion': 'SPDX-2.3',
        'dataLicense': 'CC0-1.0',
        'SPDXID': 'SPDXRef-DOCUMENT',
        'name': f'refract-{version}',
        # The same executable gives the same name.
        'documentNamespace': f'urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, sha256)}',
        'creationInfo': {'created': stamp, 'creators': ['Tool: refract-sbom']},
        'packages': [own, *entries.values()],
        'files': [{'SPDXID': 'SPDXRef-File-refract', 'fileName': './bin/refract', 'fileTypes': ['BINARY'],
                   'checksums': [{'algorithm': 'SHA1', 'checksumValue': hashlib.sha1(data).hexdigest()},
                                 {'algorithm': 'SHA256', 'checksumValue': sha256}],
                   'licenseConcluded': 'NOASSERTION', 'copyrightText': 'NOASSERTION'}],
        'relationships': [{'spdxElementId': one, 'relationshipType': kind, 'relatedSpdxElement': other}
                          for one, kind, other in relationships],
    }


def main():
    parser = argparse.ArgumentParser(description='Writes the SBOM of an executable.')
    parser.add_argument('--build', required=True)
    parser.add_argument('--executable', required=True, type=Path)
    parser.add_argument('--time', required=True, type=int)
    parser.add_argument('--licences', type=Path)
    parser.add_argument('--built-using', type=Path)
    parser.add_argument('-o', dest='out', required=True, type=Path)
    arguments = parser.parse_args()
    version = output_of(str(arguments.executable), '--version').split()[1]
    components = components_of(arguments.build)
    linked = {source: component for source, component in components.items() if has_code(source, component)}
    if unknown := sorted(linked.keys() - LICENCES.keys()):
        sys.exit(f'sbom: {unknown[0]} has no entry in LICENCES of {sys.argv[0]}')
    text = json.dumps(document(components, arguments.executable, version, arguments.time), indent=2)
    arguments.out.write_text(text + '\n')
    if arguments.licences:
        arguments.licences.mkdir(parents=True, exist_ok=True)
        for source, component in linked.items():
            shutil.copy(f'/usr/share/doc/{component["package"]}/copyright', arguments.licences / source)
    if arguments.built_using:
        arguments.built_using.write_text(', '.join(f'{source} (= {component["version"]})'
                                                   for source, component in sorted(linked.items())))


if __name__ == '__main__':
    main()
