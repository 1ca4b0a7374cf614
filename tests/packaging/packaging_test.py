#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the release tarball of a build folder, without compression, and checks checksums, SBOM and contents.

    packaging_test.py BUILD SOURCE [--all]

--all also makes the Debian packages and checks them, makes everything a second time and compares the bytes.
packaging/deb_test.sh installs the Debian packages."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)


def output_of(*command, **options):
    run = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=300, **options)
    if run.returncode:
        sys.exit(f'{command}: exit code {run.returncode}\n{run.stdout}')
    return run.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_sbom(sbom, executable):
    """What SPDX 2.3 requires, and what must be linked or compiled in."""
    expect(sbom['spdxVersion'] == 'SPDX-2.3' and sbom['dataLicense'] == 'CC0-1.0', 'SBOM: header')
    expect(re.fullmatch(r'urn:uuid:[0-9a-f-]{36}', sbom['documentNamespace']), 'SBOM: namespace')
    expect(re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', sbom['creationInfo']['created']), 'SBOM: time')
    ids = [sbom['SPDXID']] + [entry['SPDXID'] for entry in sbom['packages'] + sbom['files']]
    expect(len(set(ids)) == len(ids), 'SBOM: ids are not unique')
    expect(all(re.fullmatch(r'SPDXRef-[A-Za-z0-9.-]+', one) for one in ids), 'SBOM: ids')
    for relationship in sbom['relationships']:
        ends = {relationship['spdxElementId'], relationship['relatedSpdxElement']}
        expect(ends <= set(ids), f'SBOM: {ends} is not in the document')
    kinds = {relationship['relatedSpdxElement']: relationship['relationshipType']
             for relationship in sbom['relationships']}
    components = {entry['name']: kinds[entry['SPDXID']] for entry in sbom['packages']}
    for name in ('protobuf', 'spirv-tools', 'glslang', 'sqlite3', 'zlib', 'libpng1.6'):
        expect(components.get(name) == 'STATIC_LINK', f'SBOM: {name} is not linked')
    for name in ('nlohmann-json3', 'fmtlib', 'cli11'):
        expect(components.get(name) == 'CONTAINS', f'SBOM: {name} is not compiled in')
    expect(components.get('glibc') == 'DYNAMIC_LINK', 'SBOM: the C library')
    for name in ('googletest', 'benchmark'):
        expect(name not in components, f'SBOM: {name} is part of tests only')
    for entry in sbom['packages']:
        expect(entry['versionInfo'] and entry['licenseDeclared'] != 'NOASSERTION', f'SBOM: {entry["name"]}')
    sums = {one['algorithm']: one['checksumValue'] for one in sbom['files'][0]['checksums']}
    expect(sums['SHA256'] == digest(executable), 'SBOM: the checksum of the executable')
    return components


def check_tarball(tarball, version, work):
    output_of('tar', '-xf', tarball, '-C', work)
    top = work / tarball.name.removesuffix('.tar.xz')
    output_of('sha256sum', '--check', '--quiet', '--strict', 'SHA256SUMS', cwd=top)
    files = {str(path.relative_to(top)) for path in top.rglob('*') if path.is_file()}
    sums = {line.split('  ', 1)[1] for line in (top / 'SHA256SUMS').read_text().splitlines()}
    expect(files - sums == {'SHA256SUMS'} and sums <= files, f'SHA256SUMS lacks {files - sums}')
    for name in ('LICENSE', 'sbom.spdx.json', 'share/man/man1/refract-fuzz.1', 'share/doc/refract/licences/protobuf',
                 'share/refract/references/column_sort.frag', 'share/bash-completion/completions/refract'):
        expect(name in files, f'the tarball has no {name}')
    expect(output_of(top / 'bin/refract', '--version').startswith(f'refract {version}\n'), 'the executable of the tarball')
    components = check_sbom(json.loads((top / 'sbom.spdx.json').read_text()), top / 'bin/refract')
    licences = {path.name for path in (top / 'share/doc/refract/licences').iterdir()}
    expect(licences == components.keys() - {'refract', 'glibc'}, f'licences: {licences ^ components.keys()}')


def check_debs(debs, version):
    fields = {}
    files = {}
    for deb in debs:
        name = deb.name.split('_')[0]
        fields[name] = dict(line.split(': ', 1) for line in output_of('dpkg-deb', '--field', deb).splitlines()
                            if re.match(r'[A-Z]', line))
        files[name] = {line.split()[5] for line in output_of('dpkg-deb', '--contents', deb).splitlines()}
    expect(fields.keys() == {'refract', 'librefract1', 'librefract-dev'}, f'packages: {fields.keys()}')
    for name, field in fields.items():
        expect(field['Version'] == version.replace('-', '~') + '-1', f'{name}: version {field["Version"]}')
        expect('@' not in re.sub(r'<.*>', '', ' '.join(field.values())), f'{name}: a field is not filled in: {field}')
    depends = fields['refract']['Depends'].split(', ')
    expect(len(depends) == 1 and depends[0].startswith('libc6 '), f'refract needs {depends}')
    expect('libprotobuf32' in fields['librefract1']['Depends'], 'librefract1 does not need protobuf')
    expect('./usr/bin/refract' in files['refract'], 'refract has no executable')
    expect('./usr/lib/librefract.so.1' in files['librefract1'], 'librefract1 has no library')
    expect({'./usr/lib/librefract.so', './usr/include/refract/refract.h', './usr/lib/librefract.a'}
           <= files['librefract-dev'], 'librefract-dev lacks files')
    owned = [{file for file in one if not file.endswith('/')} for one in files.values()]
    expect(sum(map(len, owned)) == len(set.union(*owned)), 'a file is in two packages')


def check_ready(source, version, work):
    """A copy of what ready.sh reads, in a repository of its own."""
    copy = work / 'ready'
    (copy / 'include/refract').mkdir(parents=True)
    shutil.copy(source / 'include/refract/refract.h', copy / 'include/refract')
    git = ('git', '-C', copy, '-c', 'user.name=A Tester', '-c', 'user.email=tester@example.org')
    output_of(*git, 'init', '--quiet')

    def ready(first_section):
        (copy / 'CHANGELOG.md').write_text(f'# Changelog\n\n{first_section}\n\n## [0.9.0] - 2026-01-01\n')
        output_of(*git, 'add', '--all')
        output_of(*git, 'commit', '--quiet', '--message', 'A commit')
        run = subprocess.run([source / 'packaging/ready.sh', copy], capture_output=True, text=True)
        return run.returncode, run.stdout

    code, text = ready('## [Unreleased]')
    expect(code == 1 and f"and not with '## [{version}] - DATE'" in text, f'ready.sh, Unreleased: {code} {text}')
    code, text = ready(f'## [{version}] - 2026-02-03')
    expect((code, text) == (0, ''), f'ready.sh: {code} {text}')
    (copy / 'fields.txt').write_text('new')
    run = subprocess.run([source / 'packaging/ready.sh', copy], capture_output=True, text=True)
    expect(run.returncode == 1 and '?? fields.txt' in run.stdout, f'ready.sh, not committed: {run.stdout}')


def main():
    build, source = [Path(argument).resolve() for argument in sys.argv[1:3]]
    everything = '--all' in sys.argv
    if not shutil.which('dpkg-query') or (everything and not shutil.which('dpkg-shlibdeps')):
        print('this is not Debian: nothing tested')
        return 0
    environment = os.environ | {'SOURCE_DATE_EPOCH': '1700000000', 'MAINTAINER': 'A Tester <tester@example.org>'}
    version = output_of(build / 'refract', '--version').split()[1]
    manifests = {path: path.read_bytes() for path in build.glob('install_manifest*.txt')}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        outs = [work / 'first'] + ([work / 'second'] if everything else [])
        for out in outs:
            for script in ['tarball.sh'] + (['deb.sh'] if everything else []):
                output_of(source / 'packaging' / script, '--quick', build, out, env=environment)
        names = sorted(path.name for path in outs[0].iterdir())
        expect(len(names) == (5 if everything else 2), f'packages: {names}')
        for name in names:
            expect(digest(outs[0] / name) == digest(outs[-1] / name), f'{name}: other bytes the second time')
        check_ready(source, version, work)
        check_tarball(next(outs[0].glob('*.tar.xz')), version, work)
        if everything:
            check_debs(sorted(outs[0].glob('*.deb')), version)
    after = {path: path.read_bytes() for path in build.glob('install_manifest*.txt')}
    expect(after == manifests, 'the manifests of `make install` changed')
    for failure in failures:
        print(f'FAILED: {failure}')
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
