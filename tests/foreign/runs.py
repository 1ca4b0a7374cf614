# SPDX-License-Identifier: Apache-2.0
"""One piece of work of the foreign soak: a module that is loaded and must not change, or a run of fuzz,
replay and cfg check. The executable does all of it, under a limit. What is needed to reproduce a fault is
kept in a folder."""
import hashlib
import json
import math
import resource
import shlex
import shutil
import signal
import subprocess
import time

from gather import reason_of

WALL_TIMES = 10  # a command that waits or shares the machine may take this many times the limit
MOST_KEPT = 200  # faults; all are counted
DONORS = 8  # modules of the corpus whose functions a variant may get


class Stopped(Exception):
    """The time of this call is over. The next call does the work again."""


class TooLong(Exception):
    """A run reached its limit."""


class Fault(Exception):
    """Something that must not happen; the text describes it."""


def below(number, *what):
    """A number below `number` that depends only on `what`, also on other machines."""
    digest = hashlib.sha256("/".join(map(str, what)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % number


def processor_seconds():
    """The processor time of all processes that this one started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Worker:
    """Does pieces of work in its own folder. `corpus` is the folder with the modules."""

    def __init__(self, refract, corpus, modules, folder, limit, end, faults, max_steps):
        self.refract, self.corpus, self.modules, self.folder = refract, corpus, modules, folder
        self.limit, self.end, self.faults, self.max_steps = limit, end, faults, max_steps
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, *command):
        """The output of the executable. Raises Fault unless the exit code is 0."""
        begin = time.monotonic()
        until = min(begin + WALL_TIMES * self.limit, self.end)
        ran = subprocess.Popen([self.refract, *map(str, command)], cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        with ran:
            # Processor time: others may use the machine.
            resource.prlimit(ran.pid, resource.RLIMIT_CPU, (math.ceil(self.limit), math.ceil(self.limit) + 1))
            try:
                out, talk = ran.communicate(timeout=max(until - begin, 0.001))
            except subprocess.TimeoutExpired:
                ran.kill()
                raise (Stopped if until == self.end else TooLong)(command[0]) from None
        if ran.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):  # the latter through a shell
            raise TooLong(command[0])
        if ran.returncode != 0:
            errors = [line for line in talk.split("\n") if "error:" in line] or talk.split("\n")
            raise Fault(f"{command[0]} ends with {ran.returncode}: {errors[0].strip() or '(no word)'}")
        return out

    def module(self, number):
        return self.corpus / f"{number}.spv"

    def options(self, number):
        entry = self.modules[number]["entry"]
        return ["--entry", entry] if entry else []

    def check_loads(self, number):
        """The module must not change, and cfg check must agree with spirv-val on it."""
        module = self.module(number)
        self.run("fuzz", module, "-o", "same.spv", "--max-steps", "0", "--seed", "1", *self.options(number))
        if (self.folder / "same.spv").read_bytes() != module.read_bytes():
            raise Fault("fuzz --max-steps 0 changes the module")
        self.run("cfg", "check", module)

    def donors_of(self, run):
        return list(dict.fromkeys(below(len(self.modules), run, place) for place in range(DONORS)))

    def fuzz_command(self, run, number, module, donors):
        """The files of the module and of the donors, with their names in the command."""
        facts = ["--execution-facts"] if (run + run // len(self.modules)) % 3 == 0 else []
        given = [word for donor in donors for word in ("--donors", donor)]
        return ["fuzz", module, "-o", "variant.spv", "--seed", run, "--max-steps", self.max_steps, "--self-check",
                *given, *facts, *self.options(number)]

    def check_run(self, run, number):
        """The number of steps, whether the result was checked by the interpreter, and why not."""
        command = self.fuzz_command(run, number, self.module(number), map(self.module, self.donors_of(run)))
        done = json.loads(self.run(*command, "--json"))
        self.run("replay", self.module(number), "variant.refract", "-o", "again.spv", "--strict")
        if (self.folder / "again.spv").read_bytes() != (self.folder / "variant.spv").read_bytes():
            raise Fault("replay gives another module")
        self.run("cfg", "check", "variant.spv")
        return done["steps"], done["judged"], "; ".join(map(reason_of, done["notes"]))

    def keep(self, name, run, number, what):
        """Keeps the module, its inputs and donors, the files of the run, and the command that repeats it."""
        if self.faults.is_dir() and len(list(self.faults.iterdir())) >= MOST_KEPT:
            return
        kept = self.faults / name
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for ending in (".spv", ".json"):
            shutil.copy(self.module(number).with_suffix(ending), kept / f"module{ending}")
        command = ["fuzz", "module.spv", "-o", "same.spv", "--max-steps", "0", *self.options(number)]
        if run is not None:
            donors = [f"donor{place}.spv" for place, _ in enumerate(self.donors_of(run))]
            for file, donor in zip(donors, self.donors_of(run)):
                shutil.copy(self.module(donor), kept / file)
            command = self.fuzz_command(run, number, "module.spv", donors)
        for file in self.folder.glob("variant*.refract"):
            shutil.copy(file, kept)
        words = shlex.join(["refract", *map(str, command)])
        (kept / "command.txt").write_text(f"{words}\n\n{self.modules[number]['name']}: {what}\n")

    def do(self, work):
        """A line of the state: work, module, seconds, steps, outcome, reason. None: not done."""
        kind, index = work[0], int(work[1:])
        number = index % len(self.modules)
        for file in self.folder.iterdir():
            file.unlink()
        before = processor_seconds()
        steps, outcome, what = 0, "loaded", ""
        try:
            if kind == "L":
                self.check_loads(number)
            else:
                steps, judged, what = self.check_run(index, number)
                outcome = "judged" if judged else "not judged"
        except Stopped:
            return None
        except TooLong as verb:
            outcome, what = "too long", f"{verb} takes more than {self.limit:g} s"
        except Fault as fault:
            outcome, what = "fault", str(fault)
            self.keep(work, index if kind == "R" else None, number, what)
        seconds = processor_seconds() - before
        return [work, number, f"{seconds:.3f}", steps, outcome, " ".join(what.split())]
