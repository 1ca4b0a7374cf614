# SPDX-License-Identifier: Apache-2.0
"""Runs commands, and reads from `refract run` which failures it found. It imports little, because the interestingness
test of RQ2 is started for each try."""
import json
import os
import subprocess
import tempfile
import time

MAKE_LIMIT = 120  # seconds for making a test
RUN_LIMIT = 300   # seconds for running it on all targets
WRONG = "wrong output"


def run(command, limit, environment=None, folder=None):
    """Runs a command in a folder. Returns its exit code (None after `limit` seconds), its output and its processor time,
    with that of its children that it waited for."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL, env=environment, cwd=folder, start_new_session=True)
        end = time.monotonic() + limit
        timed_out = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end and not timed_out:
                os.killpg(process.pid, 9)
                timed_out = True
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait again
        output.seek(0)
        text = output.read().decode(errors="replace")
    return None if timed_out else process.returncode, text, usage.ru_utime + usage.ru_stime


def how_it_ended(code):
    """What to say about the exit code that `run` returned."""
    return f"exit code {code}" if isinstance(code, int) else "time limit"


def findings_of(drivers, output, variant):
    """The findings in the JSON of `refract run`: pairs of target and signature. All wrong outputs of a target have
    the same signature. If a driver is wrong itself, a wrong output of a tool is no finding: it may be the driver's."""
    role = "variant" if variant else "original"
    findings = {(one["target"], one["signature"] or one["verdict"]) for one in output["runs"]
                if one["role"] == role and one["verdict"] not in ("ok", "unsupported")
                and not one["verdict"].startswith("wrong")}
    wrong = {one["target"] for one in output["runs"] if one["role"] == role and one["verdict"].startswith("wrong")}
    wrong |= {one["target"] for one in output["compare"] if not one["same"]}
    if wrong & set(drivers):
        wrong &= set(drivers)
    return sorted(findings | {(target, WRONG) for target in wrong})


def computes_the_same(refract, reference, variant):
    """Whether the interpreter sees no difference between the outputs of the two."""
    _, text, _ = run([refract, "run", reference, variant, "--targets", "interp", "--json"], RUN_LIMIT)
    try:
        return all(one["same"] for one in json.loads(text)["compare"])
    except json.JSONDecodeError:
        return True
