# SPDX-License-Identifier: BSD-3-Clause
"""Runs `simulate` on all robots with all integrators, and on the ground, and prints a table of what became of the runs.

It takes up to an hour and is run by hand:  python3 lab.py SIMULATE FOLDER_OF_ROBOTS [--part free|ground] [--robots a1.urdf,ur5.urdf]
[--integrators rk4,variational] [-- FURTHER ARGUMENTS OF SIMULATE].  It fails if a run blows up without a warning, takes more than a minute,
or ends by a crash.  Results: `ok`; `warned`, the summary begins with a warning; `failed`, the program says so and exits with 1; `refused`,
it exits with 2 and a reason; `silent`, it blew up and does not say so; `slow`; `crashed`.
"""
import argparse
import collections
import json
import pathlib
import resource
import signal
import subprocess
import sys

RESULTS = ("ok", "warned", "failed", "refused", "silent", "slow", "crashed")
LONGEST = 60  # of processor time [s]
FALL = 5  # a robot at rest that falls or collapses gains less energy than in a fall from this height [m]


def blow_up(summary, starts_at_rest):
    """Returns why a run is not the motion of the model; empty if nothing is wrong with its numbers."""
    dissipates = summary["dissipated"] is not None or summary["energy_unaccounted_max"] is not None
    error = summary["energy_unaccounted_max" if dissipates else "energy_error_max"]
    kinetic, dissipated, mass = summary["kinetic_energy_max"], summary["dissipated"], summary["mass"]
    if None in (error, kinetic, summary["energy_initial"]) or (dissipates and dissipated is None):
        return "a number is not finite"
    flow = max(kinetic, abs(dissipated or 0))
    if error > 0.5 * flow and error > 1e-6:
        return f"energy error {error:.3g} J, kinetic energy {kinetic:.3g} J, dissipated {dissipated} J"
    height = FALL + 9.81 * summary["duration"] ** 2 / 2  # a floating robot without a ground falls
    if starts_at_rest and kinetic > 9.81 * height * mass:
        return f"kinetic energy {kinetic:.3g} J of {mass:.3g} kg that started at rest"
    return ""


def run(program, model, arguments):
    """Returns the result of a run, its processor time [s], which other programs do not lengthen, and the reason or warning."""
    command = [program, str(model), *arguments, "--json", "-"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1)))
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "slow", seconds, f"more than {LONGEST} s"
    said = [line for line in done.stderr.splitlines() if line.startswith("simulate: ")]
    if done.returncode == 2:
        return "refused", seconds, said[-1]
    if done.returncode == 1:
        return "failed", seconds, said[-1] if said else "without a reason"
    if done.returncode != 0:
        return "crashed", seconds, f"status {done.returncode}"
    summary = json.loads(done.stdout)
    if summary["warnings"]:
        return "warned", seconds, summary["warnings"][0]
    why = blow_up(summary, "--random-state" not in arguments)
    return ("silent" if why else "ok"), seconds, why


def run_released(program, model, arguments):
    """Runs it without loops and mimic joints if the integrator does not take them."""
    result = run(program, model, arguments)
    release = result[2].split("--release ")[-1].split()[0] if result[0] == "refused" and "--release " in result[2] else ""
    return run(program, model, [*arguments, "--release", release]) if release else result


class Table:
    """Counts results by row, and prints each run that is worth a look."""

    def __init__(self):
        self.rows = collections.defaultdict(collections.Counter)
        self.slowest = collections.defaultdict(lambda: (0, ""))
        self.wrong = 0

    def add(self, row, name, result, seconds, why, loud):
        self.rows[row][result] += 1
        self.slowest[row] = max(self.slowest[row], (seconds, name))
        self.wrong += result in ("silent", "slow", "crashed")
        if loud or result not in ("ok", "refused"):
            print(f"{result}: {name}: {seconds:.2f} s: {why}", flush=True)

    def print(self):
        print("\n| |", " | ".join(RESULTS), "| slowest |\n" + "|---" * (len(RESULTS) + 2) + "|")
        for row, counts in self.rows.items():
            seconds, name = self.slowest[row]
            print(f"| {row} |", " | ".join(str(counts[result]) for result in RESULTS), f"| {seconds:.1f} s, {name} |")
        print(flush=True)


def main():
    ours, further = sys.argv[1:], []
    if "--" in ours:
        at = ours.index("--")
        ours, further = ours[:at], ours[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--part", choices=("free", "ground"))
    parser.add_argument("--robots", type=lambda text: text.split(","))
    parser.add_argument("--integrators", type=lambda text: text.split(","))
    options = parser.parse_args(ours)
    patterns = options.robots or ("*.urdf", "loops/*.urdf", "loops/*.sdf", "loops/*.xml")
    robots = sorted(path for pattern in patterns for path in options.folder.glob(pattern))
    if not robots:
        print(f"no robots in {options.folder}: nothing to run")
        return 0
    listed = subprocess.run([options.program, "--list-integrators"], capture_output=True, text=True, check=True).stdout
    table = Table()
    if options.part != "ground":
        for integrator in options.integrators or [line.split()[0] for line in listed.splitlines()]:
            for robot in robots:
                for base in ("--fixed-base", "--floating-base"):
                    for step in ("1e-3", "5e-3"):
                        arguments = ["--integrator", integrator, base, "--step", step, "--duration", "2", *further]
                        name = f"{robot.relative_to(options.folder)} {' '.join(arguments)}"
                        table.add(integrator, name, *run_released(options.program, robot, arguments), False)
    if options.part != "free":
        for robot in robots:
            arguments = ["--floating-base", "--ground", "1e6 1e3 0.8", "--enforce", "limits,friction", "--duration", "3", *further]
            table.add("on the ground", str(robot.relative_to(options.folder)), *run(options.program, robot, arguments), True)
    print(len(robots), "robots")
    table.print()
    return 1 if table.wrong else 0


sys.exit(main())
