#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the package under python/: against the header, and against the results of the executable.

    python_test.py REFRACT LIBRARY SOURCE
"""
import ctypes
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib
from pathlib import Path
from xml.etree import ElementTree

EXECUTABLE, LIBRARY, SOURCE = [Path(argument).resolve() for argument in sys.argv[1:4]]
os.environ['REFRACT_LIBRARY'] = str(LIBRARY)
sys.path.insert(0, str(SOURCE / 'python'))
import refract  # noqa: E402
from refract import _abi  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
    print('NumPy is not on this machine: arrays are not tested')

HEADER = re.sub(r'/\*.*?\*/', '', (SOURCE / 'include/refract/refract.h').read_text(), flags=re.S)
SCALARS = {'size_t': ctypes.c_size_t, 'uint32_t': ctypes.c_uint32, 'uint64_t': ctypes.c_uint64,
           'double': ctypes.c_double, 'refract_output_kind': ctypes.c_int32}


def run(*arguments, code=0):
    result = subprocess.run([EXECUTABLE, *map(str, arguments)], capture_output=True, text=True, timeout=100)
    assert result.returncode == code, f'{arguments}: {result.returncode}\n{result.stdout}{result.stderr}'
    return result.stdout


def png(width, height, pixels):
    """A PNG file of rgba8 pixels."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + pixels[4 * width * y:4 * width * (y + 1)] for y in range(height))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 6, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


class HeaderTest(unittest.TestCase):
    """ctypes cannot see the header: this compares every function, struct and number."""

    def test_functions(self):
        declared = dict(re.findall(r'REFRACT_API [\w\s*]*?(refract_\w+)\(([^)]*)\);', HEADER))
        self.assertEqual(set(_abi.FUNCTIONS), set(declared))
        for name, parameters in declared.items():
            count = 0 if parameters.strip() == 'void' else parameters.count(',') + 1
            self.assertEqual(len(_abi.FUNCTIONS[name]) - 1, count, name)

    def test_structs(self):
        structs = re.findall(r'typedef struct (refract_\w+) \{(.*?)\}', HEADER, re.S)
        self.assertGreater(len(structs), 10)
        for name, body in structs:
            fields = []
            for declaration in filter(None, map(str.strip, body.split(';'))):
                kind, names = re.fullmatch(r'(.*?[\s*])((?:\w+, )*\w+)', declaration).groups()
                fields += [(field, kind.strip()) for field in names.split(', ')]
            made = getattr(_abi, ''.join(part.title() for part in name.split('_')[1:]))
            self.assertEqual([field for field, _ in made._fields_], [field for field, _ in fields], name)
            for (field, kind), (_, written) in zip(made._fields_, fields):
                if written.endswith('*'):
                    self.assertEqual(ctypes.sizeof(kind), ctypes.sizeof(ctypes.c_void_p), f'{name}.{field}')
                else:
                    self.assertIs(kind, SCALARS[written], f'{name}.{field}')

    def test_numbers(self):
        numbers = {name: int(value) for name, value in re.findall(r'REFRACT_(\w+) = (\d+)', HEADER)}
        for prefix, kind in (('TRAP_', refract.Trap), ('OUTPUT_', refract.OutputKind), ('RULE_', refract.Rule),
                             ('FLOW_', refract.FlowMode), ('', refract.Divergence)):
            for member in kind:
                self.assertEqual(numbers[prefix + member.name], member.value, member)
        self.assertEqual(re.search(r'REFRACT_ABI (\d+)', HEADER)[1], str(refract.abi()))
        self.assertEqual(re.search(r'REFRACT_VERSION "(.*)"', HEADER)[1], refract.version())
        project = (SOURCE / 'python/pyproject.toml').read_text()
        # PEP 440 writes 1.0.0-rc1 without the hyphen.
        self.assertEqual(re.search(r'^version = "(.*)"', project, re.M)[1], refract.version().replace('-', ''))


class ImportTest(unittest.TestCase):

    def test_other_library(self):
        environment = os.environ | {'PYTHONPATH': str(SOURCE / 'python'), 'REFRACT_LIBRARY': 'libc.so.6'}
        ran = subprocess.run([sys.executable, '-c', 'import refract'], env=environment, capture_output=True, text=True)
        self.assertRegex(ran.stderr, r'\nImportError: libc\.so\.6 has no function refract_version; install ')


class TypesTest(unittest.TestCase):

    def check(self, *files):
        command = ['mypy', '--strict', '--no-incremental', '--cache-dir', os.devnull, *map(str, files)]
        ran = subprocess.run(command, capture_output=True, text=True, env=os.environ | {'MYPYPATH': SOURCE / 'python'})
        return ran.returncode, ran.stdout

    @unittest.skipUnless(shutil.which('mypy'), 'mypy is not on this machine')
    def test_hints(self):
        self.assertEqual(self.check(SOURCE / 'python/refract'), (0, 'Success: no issues found in 5 source files\n'))
        with tempfile.TemporaryDirectory() as folder:
            wrong = Path(folder) / 'wrong.py'
            wrong.write_text("import refract\nsteps: str = refract.Module(b'').fuzz(1).steps\n")
            code, printed = self.check(wrong)
            self.assertEqual(code, 1)
            self.assertIn('expression has type "int", variable has type "str"', printed)


class RefractTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.original = cls.folder / 'original.spv'
        run('fuzz', SOURCE / 'references/generations.comp', '-o', cls.original, '--seed', 1, '--max-steps', 0)
        cls.module = refract.Module.read(cls.original)
        run('fuzz', cls.original, '-o', cls.folder / 'variant.spv', '--seed', 7, '--max-steps', 60)
        cls.variant = cls.module.fuzz(7, max_steps=60)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def test_fuzz(self):
        self.assertEqual(self.module.binary, self.original.read_bytes())
        self.assertEqual(self.variant.binary, self.read('variant.spv'))
        self.assertEqual(self.variant.recording, self.read('variant.refract'))
        self.assertEqual(json.loads(self.variant.inputs), json.loads(self.read('variant.json')))
        self.assertEqual((self.variant.steps, self.variant.skipped), (60, 0))
        self.assertEqual((self.module.entry, self.module.environment), ('main', 'vulkan1.1'))
        with self.assertRaisesRegex(refract.BadArgument, 'no_such'):
            self.module.fuzz(1, passes=['no_such'])
        only = self.module.fuzz(1, passes=['split_block'], max_steps=5, donors=[self.module], validate=False)
        self.assertEqual(only.steps, 5)

    def test_replay(self):
        self.assertEqual(self.module.replay(self.variant.recording).binary, self.variant.binary)
        run('replay', self.original, self.folder / 'variant.refract', '-o', self.folder / 'some.spv',
            '--steps', '1-20,40')
        some = self.module.replay(self.variant.recording, steps=[*range(1, 21), 40])
        self.assertEqual(some.binary, self.read('some.spv'))
        with self.assertRaisesRegex(refract.BadArgument, 'no step'):
            self.module.replay(self.variant.recording, steps=[])
        with self.assertRaises(refract.BadInput):
            self.module.replay(b'no recording')

    def test_reduce(self):
        limit = len(self.module.binary) + 100
        script = self.folder / 'large.sh'
        script.write_text(f'#!/bin/sh\n[ "$(wc -c < "$1")" -ge {limit} ]\n')
        script.chmod(0o755)
        run('reduce', self.original, self.folder / 'variant.refract', '-o', self.folder / 'small.spv', '--', script)
        threads = set()

        def test(candidate):
            threads.add(threading.get_ident())
            return len(candidate.binary) >= limit

        small, reduction = self.module.reduce(self.variant.recording, test, jobs=2)
        self.assertEqual(small.binary, self.read('small.spv'))
        self.assertEqual(small.recording, self.read('small.refract'))
        self.assertEqual(reduction.steps, small.steps)
        self.assertTrue(reduction.minimal and not reduction.original_interesting and threads)
        with self.assertRaises(refract.NotInteresting):
            self.module.reduce(self.variant.recording, lambda candidate: False)
        with self.assertRaisesRegex(ZeroDivisionError, 'division'):
            self.module.reduce(self.variant.recording, lambda candidate: 1 // 0)

    def test_interpret(self):
        result = self.module.interpret()
        changed = refract.Module(self.variant.binary, inputs=self.variant.inputs).interpret(shuffle_seed=3)
        self.assertEqual((result.trap, result.trap_text), (refract.Trap.NONE, ''))
        self.assertEqual([output.data for output in result.outputs], [output.data for output in changed.outputs])
        self.assertTrue(result.defined and result.exact and changed.steps > 0 and result.outputs)
        limited = self.module.interpret(max_steps=10)
        self.assertEqual(limited.trap, refract.Trap.LIMIT)
        self.assertTrue(limited.trap_text)

    def test_images(self):
        shader = self.folder / 'image.spv'
        run('fuzz', SOURCE / 'references/column_sort.frag', '-o', shader, '--seed', 1, '--max-steps', 0)
        inputs = json.loads(shader.with_suffix('.json').read_text())
        inputs['$framebuffer'] = {'width': 32, 'height': 24}
        shader.with_suffix('.json').write_text(json.dumps(inputs))
        run('run', shader, '--target', 'interp', '-o', self.folder / 'image.png')
        image = refract.Module.read(shader, inputs=inputs).interpret().outputs[0]
        self.assertEqual((image.kind, image.width, image.height), (refract.OutputKind.TARGET, 32, 24))
        (self.folder / 'ours.png').write_bytes(png(32, 24, image.data))
        run('compare', self.folder / 'image.png', self.folder / 'ours.png', '--rule', 'exact')
        changed = bytearray(image.data)
        changed[0] ^= 1
        first, second = [memoryview(data).cast('B', (24, 32, 4)) for data in (image.data, changed)]
        self.assertTrue(refract.compare_images(first, first).agree)
        comparison = refract.compare_images(first, second)
        self.assertEqual((comparison.agree, comparison.pixels, comparison.region), (False, 1, 1))
        self.assertTrue(refract.compare_images(first, second, refract.Rule.STABLE).agree)
        with self.assertRaisesRegex(refract.BadArgument, 'shape'):
            refract.compare_images(image.data, image.data)
        if numpy is not None:
            array = image.array()
            self.assertEqual((array.shape, array.dtype), ((24, 32, 4), numpy.uint8))
            self.assertEqual(refract.compare_images(array, array[::-1]).agree,
                             bool((array == array[::-1]).all()))
            buffer = self.module.interpret().outputs[0]
            self.assertEqual(buffer.array('<u4').tobytes(), buffer.data)

    def test_checks(self):
        refract.validate(self.module.binary)
        with self.assertRaises(refract.BadInput):
            refract.validate(self.module.binary[:-4])
        with self.assertRaisesRegex(refract.BadInput, 'here.spv'):
            refract.Module(self.module.binary[:40], name='here.spv')
        with self.assertRaises(refract.BadInput):
            refract.Module(self.module.binary, inputs={'no_such_thing': 1})
        self.assertEqual(refract.check_flow(self.module.binary), (0, ''))
        with self.assertRaises(refract.BadArgument):
            self.module.divergence(10**6)
        names = [one.name for one in refract.transformations()]
        listed = json.loads(run('list', '--json'))
        self.assertEqual(sorted(names), sorted(one['name'] for one in listed))

    def test_mutate(self):
        mutated = refract.mutate(self.module.binary, 1)
        self.assertEqual(mutated, refract.mutate(self.module.binary, 1))
        parts = refract.mutated_parts(mutated)
        self.assertEqual(parts.original, self.module.binary)
        self.assertEqual(parts.variant, mutated[:refract.module_size(mutated)])
        self.assertEqual(self.module.replay(parts.recording, force=True).binary, parts.variant)
        self.assertIsNone(refract.mutate(b'no module', 1))
        for most, low, high in ((0, 2, 3), (200, 60, 200)):
            made = filter(None, [refract.mutate(self.module.binary, seed, max_steps=most) for seed in range(8)])
            steps = max(self.module.replay(refract.mutated_parts(data).recording, force=True).steps for data in made)
            self.assertTrue(low <= steps <= high, (most, steps))
        crossed = [refract.crossover(mutated, self.module.binary, seed) for seed in range(20)]
        for data in filter(None, crossed):
            refract.validate(refract.mutated_parts(data).variant)
        with self.assertRaises(refract.BadInput):
            refract.mutated_parts(self.module.binary)

    def test_example(self):
        out = self.folder / 'campaign'
        events = [{'event': 'begin', 'at': 0}, {'event': 'bucket', 'at': 3.5, 'stage': 'a&b'},
                  {'event': 'bucket', 'at': 7, 'stage': 'a&b'}, {'event': 'end', 'at': 10}]
        for number in (1, 2):
            (out / f'buckets/tool/crash/test-{number}').mkdir(parents=True)
            (out / f'buckets/tool/crash/test-{number}/test.json').write_text('{"types": ["split_block"]}')
        (out / 'events.jsonl').write_text('\n'.join(map(json.dumps, events)))
        printed = subprocess.run([sys.executable, SOURCE / 'examples/python/plot_campaign.py', out, out / 'plot.svg'],
                                 env=os.environ | {'PYTHONPATH': str(SOURCE / 'python')}, check=True,
                                 capture_output=True, text=True).stdout
        self.assertRegex(printed, r'^ *2  split_block: \w')
        texts = [node.text for node in ElementTree.parse(out / 'plot.svg').getroot()]
        self.assertIn('a&b: 2', texts)
        self.assertIn('10 s', texts)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
