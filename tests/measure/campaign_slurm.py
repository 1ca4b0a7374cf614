#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tools/slurm/campaign.sbatch under a real Slurm as an array of 4 tasks. One task is killed and
submitted again. After a merge, the outcomes must be the same as those of one campaign.

    campaign_slurm.py --refract FILE --optimiser PLANTED_OPT --references DIR --state DIR

Starts munged, slurmctld and slurmd (Debian: slurm-wlm, munge) from a folder below --state, with their own
keys, ports and configuration, and ends them. It does not use the services of the machine. This needs root:
without it, the script prints "not run: needs root" and exits with 0. Exit code 1 if a check failed.
"""
import argparse
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import time

from campaign_soak import Campaign, Fault, check, outcomes, same, tests_of

DAEMONS = ("munged", "slurmctld", "slurmd")
CONFIGURATION = """ClusterName=soak
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
KillWait=5
NodeName={node} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=soak Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """A cluster that consists of this machine."""

    def __init__(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        self.folder = folder
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        self.running = []

    def begin(self):
        folder = self.folder
        node = socket.gethostname().split(".")[0]
        controller, daemon = free_ports(2)
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(node=node, controller=controller, daemon=daemon, folder=folder))
        (folder / "cgroup.conf").write_text("CgroupAutomount=no\n")
        key = folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(1024))
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
                   f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log",
                   f"--seed-file={folder}/munged.seed")
        self.until(lambda: (folder / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D", "-f", str(folder / "slurm.conf"))
        self.start("slurmd", "-D", "-N", node, "-f", str(folder / "slurm.conf"))
        self.until(lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%T", fails=True), "an idle node", 60)

    def start(self, program, *arguments):
        path = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin")
        with open(self.folder / f"{program}.out", "wb") as log:
            self.running.append(subprocess.Popen([path, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                                                 stdout=log, stderr=log, cwd=self.folder))

    def until(self, there, what, seconds=30):
        for _ in range(seconds * 5):
            if there():
                return
            time.sleep(0.2)
        logs = "\n".join(file.read_text(errors="replace")[-1500:] for file in sorted(self.folder.glob("*.log")))
        raise Fault(f"no {what} after {seconds} s:\n{logs}")

    def ask(self, *command, fails=False, **more):
        done = subprocess.run(command, env=dict(self.environment, **more), capture_output=True, text=True, check=False,
                              cwd=self.folder)
        check(fails or done.returncode == 0, f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    def submit(self, refract, array, *arguments):
        script = pathlib.Path(__file__).resolve().parents[2] / "tools/slurm/campaign.sbatch"
        return self.ask("sbatch", "--parsable", f"--array={array}", "--cpus-per-task=1", str(script), *arguments,
                        REFRACT=refract).strip()

    def states(self, job):
        """Task number to state, for the tasks that have not ended."""
        rows = self.ask("squeue", "--noheader", "--array", f"--jobs={job}", "--format=%K %T", fails=True).split("\n")
        return {int(row.split()[0]): row.split()[1] for row in rows if row.strip()}

    def wait(self, job, seconds):
        self.until(lambda: not self.states(job), f"end of job {job}", seconds)

    def end(self):
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def array(given, slurm, campaign):
    out = campaign.state / "array"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    tests = str(given.tests)
    # The options of every shard. The script chooses the working folder.
    options = campaign.command("", campaign.driven, "--tests", tests)[2:]
    options = [*options[:options.index("--out")], *options[options.index("--out") + 2:]]
    refract = str(pathlib.Path(given.refract).absolute())
    job = slurm.submit(refract, "1-4", "4", str(out), *options)

    def some_done():
        check(3 in slurm.states(job), "task 3 was over before it could be killed: more --tests")
        shard = out / "shard-3"
        return shard.exists() and len(tests_of(outcomes(shard))) > 0

    slurm.until(some_done, "test of task 3", 600)
    slurm.ask("scancel", "--signal=KILL", "--full", f"{job}_3")
    slurm.until(lambda: 3 not in slurm.states(job), "end of task 3", 60)
    before = outcomes(out / "shard-3")
    wanted = set(range(2, given.tests, 4))
    check(tests_of(before) < wanted, f"task 3 was over before it was killed: {len(tests_of(before))} tests")
    again = slurm.submit(refract, "3", "4", str(out), *options)
    slurm.wait(job, 3600)
    slurm.wait(again, 3600)
    check(before <= outcomes(out / "shard-3"), "task 3 lost tests")
    merged = campaign.state / "merged"
    shutil.rmtree(merged, ignore_errors=True)
    subprocess.run([refract, "merge", *sorted(str(shard) for shard in out.glob("shard-*")), "-o", str(merged),
                    "--quiet"], check=True)
    campaign.to_the_end(campaign.state / "one", campaign.driven, "--tests", tests)
    found = outcomes(merged)
    same(found, outcomes(campaign.state / "one"))
    version = slurm.ask("sinfo", "--version").strip()
    failing = sum(1 for row in found if row[2] != "ok")
    print(f"{version}: an array of 4, task 3 killed after {len(tests_of(before))} of its {len(wanted)} tests and submitted "
          f"again; merged: {given.tests} tests, {len(found)} outcomes, {failing} of them failures: the same as those "
          f"of one campaign")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--optimiser", required=True)
    parser.add_argument("--references", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--driver", default="lavapipe", help="beside planted_opt; '' for none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", type=int, default=200)
    given = parser.parse_args()
    if os.geteuid() != 0:
        print("not run: needs root")
        return
    missing = [name for name in DAEMONS if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
    if missing:
        sys.exit(f"campaign_slurm: not installed: {', '.join(missing)} (Debian: slurm-wlm, munge)")
    campaign = Campaign(given, "slurm")
    slurm = Slurm(campaign.state / "slurm")
    try:
        slurm.begin()
        array(given, slurm, campaign)
    except Fault as fault:
        sys.exit(f"campaign_slurm: {fault}")
    finally:
        slurm.end()


if __name__ == "__main__":
    main()
