# SPDX-License-Identifier: BSD-3-Clause
"""Times this library beside the others that benchmarks/peers were built for, and prints the ratios of the times as a table:

    cmake --preset bench && cmake --build --preset bench --target peers
    python3 benchmarks/compare.py build/bench/benchmarks/peers [FURTHER FOLDERS OF PROGRAMS] [--out FOLDER] [--models chain:10,humanoid:1]

All programs time the same model in the same state, in turns, so that whatever else the machine does disturbs all of them. A ratio is our
time divided by theirs, from the runs of one turn; the table has the median of the turns, and the smallest and largest. Writes
compare.csv, compare.md, and compare.svg if gnuplot is installed. It fails if two libraries do not compute the same, or if a step of ours
fails. Programs for two versions of a library are built in two folders; only the first folder's own program is used.
"""
import argparse
import csv
import datetime
import pathlib
import statistics
import subprocess
import sys
import tempfile

MODELS = "chain:10,chain:30,chain:100,chain:300,chain:1000,humanoid:1,quadruped:1"
# Ours, and what it is compared with. The step of the others is semi-implicit Euler with their forward dynamics.
PAIRS = (("aba", "aba"), ("rnea", "rnea"), ("step", "step"), ("variational_released", "step"), ("variational", "step"),
         ("compliant_on_ground", "step"))
OURS = "actio"
LARGEST_DIFFERENCE = 1e-6  # of two checks, relative


class Program:
    def __init__(self, path):
        self.path = path
        printed = subprocess.run([path, "--version"], check=True, capture_output=True, text=True).stdout
        self.version, self.compiler = printed.strip().split("; ")
        self.is_ours = self.version.split()[0] == OURS

    def measure(self, tree, algorithm, seconds):
        """Returns the time of a call [ns] and the check, or nothing if the library cannot do this."""
        run = subprocess.run([self.path, tree, algorithm, str(seconds)], capture_output=True, text=True)
        if run.returncode == 3:
            return None
        if run.returncode != 0:
            sys.exit(f"{self.path} {tree} {algorithm} failed ({run.returncode}): {run.stderr.strip()}")
        return tuple(float(word) for word in run.stdout.split())


def programs_in(folders):
    """Returns ours, then the others; each version of a library once."""
    found = {}
    for path in (path for folder in folders for path in sorted(folder.glob("peer_*")) if path.is_file() and not path.suffix):
        program = Program(path)
        found.setdefault(OURS if program.is_ours else program.version, program)
    if OURS not in found:
        sys.exit(f"no peer_{OURS} in {', '.join(map(str, folders))}")
    return sorted(found.values(), key=lambda program: not program.is_ours)


def measure_model(programs, model, n, rounds, seconds):
    """Returns times[program, algorithm], one for each round [ns]."""
    times, checks = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        subprocess.run([programs[0].path, "--write", model, n, tree], check=True)
        for _ in range(rounds):
            for algorithm in dict(PAIRS):
                for program in programs:
                    if not program.is_ours and algorithm not in dict(PAIRS).values():
                        continue
                    result = program.measure(tree, algorithm, seconds)
                    if result is not None:
                        times.setdefault((program, algorithm), []).append(result[0])
                        checks[program, algorithm] = result[1]
    for (program, algorithm), check in checks.items():
        expected = checks[programs[0], algorithm] if algorithm in dict(PAIRS).values() else 0
        if not abs(check - expected) <= LARGEST_DIFFERENCE * abs(expected):
            sys.exit(f"{model} {n}, {algorithm}: {program.version} has the check {check}, expected {expected}")
    return times


def compare(programs, model, n, times):
    """Returns one row for each pair of ours and theirs."""
    def spread(name, values):
        return {name: statistics.median(values), f"{name}_min": min(values), f"{name}_max": max(values)}

    rows = []
    for ours, theirs in PAIRS:
        our_times = times.get((programs[0], ours))
        for program in programs:
            their_times = times.get((program, theirs))
            if our_times is None or their_times is None or (program.is_ours and ours == theirs):
                continue
            ratios = [a / b for a, b in zip(our_times, their_times)]
            rows.append({"model": model, "n": n, "ours": ours, "library": program.version, "theirs": theirs,
                         **spread("ns_ours", our_times), **spread("ns_theirs", their_times), **spread("ratio", ratios)})
    return rows


def table(programs, rows, arguments):
    """Returns the table in Markdown, and how it was made."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = "unknown processor"
    text = [f"{datetime.date.today()}, {processor}, {arguments.rounds} rounds of {arguments.seconds:g} s, thread time.", ""]
    text += [f"* {program.version}: {program.compiler}" for program in programs]
    libraries = list(dict.fromkeys(row["library"] for row in rows))
    text += ["", "Our time, and our time divided by theirs: median (smallest to largest of the rounds).", "",
             "| model | ours | theirs | us | " + " | ".join(libraries) + " |", "|---" * (4 + len(libraries)) + "|"]
    for key in dict.fromkeys((row["model"], row["n"], row["ours"], row["theirs"]) for row in rows):
        of_key = {row["library"]: row for row in rows if (row["model"], row["n"], row["ours"], row["theirs"]) == key}
        cells = [f"{row['ratio']:.2f} ({row['ratio_min']:.2f} to {row['ratio_max']:.2f})" if (row := of_key.get(library)) else ""
                 for library in libraries]
        model, n, ours, theirs = key
        time = next(iter(of_key.values()))["ns_ours"] / 1000
        text.append(f"| {model}{' ' + n if model == 'chain' else ''} | {ours} | {theirs} | {time:.3g} | " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def draw(rows, path):
    """Draws the ratios over the length of the chains, one panel for each algorithm that others have."""
    chains = [row for row in rows if row["model"] == "chain" and row["ours"] == row["theirs"]]
    panels = list(dict.fromkeys(row["ours"] for row in chains))
    curves = list(dict.fromkeys(row["library"] for row in chains))
    script = [f"set terminal svg size {360 * len(panels)},420 background 'white'", f"set output '{path}'",
              f"set multiplot layout 1,{len(panels)}", "set logscale x", "set yrange [0:*]", "set xlabel 'links of a chain'", "set grid",
              "set key below maxcols 2"]
    for panel in panels:
        script += [f"set title '{panel}: our time / theirs'"]
        plots, points = ["1 with lines linecolor 0 notitle"], []
        for k, curve in enumerate(curves, 1):
            of_curve = sorted((row for row in chains if (row["ours"], row["library"]) == (panel, curve)), key=lambda row: int(row["n"]))
            if of_curve:
                plots += [f"'-' using 1:2:3:4 with yerrorlines linetype {k} title '{curve}'"]
                points += [f"{row['n']} {row['ratio']} {row['ratio_min']} {row['ratio_max']}" for row in of_curve] + ["e"]
        script += ["plot " + ", ".join(plots)] + points
    try:
        subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)
    except FileNotFoundError:
        print("gnuplot is not installed: no figure")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="folders of programs peer_NAME")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder of the results")
    parser.add_argument("--models", default=MODELS, help=f"default {MODELS}")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each measurement")
    parser.add_argument("--smoke", action="store_true", help="one short round of small models, to see that everything works")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.models, arguments.rounds, arguments.seconds = "chain:10,humanoid:1", 2, 0.001

    arguments.out.mkdir(parents=True, exist_ok=True)
    programs = programs_in(arguments.folders)
    rows = []
    for model, n in (item.split(":") for item in arguments.models.split(",")):
        rows += compare(programs, model, n, measure_model(programs, model, n, arguments.rounds, arguments.seconds))
        text = table(programs, rows, arguments)
        (arguments.out / "compare.md").write_text(text)  # after each model, because all of them take a while
        with open(arguments.out / "compare.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        print(f"{model} {n}: done", file=sys.stderr)
    print(text)
    if any(row["model"] == "chain" and row["ours"] == row["theirs"] for row in rows):
        draw(rows, arguments.out / "compare.svg")


if __name__ == "__main__":
    main()
