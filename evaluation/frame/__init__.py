"""The frame of every evaluation: what is measured, its run, its typed result, and how that is
read. CONTRIBUTING.md ("A kind of evaluation") says how to write a new one.

    experiment.py   `Experiment`: settings, arms, items, how one item is measured, how lines are
                    summed; a new kind of evaluation is one of these, and a reader of its data
    experiment_run.py   the kept run of a kind: its names, its lines, its result, its report
    running.py      `run_experiment`: from an experiment to its folder; `metered_model` for those
                    that ask a language model
    results.py      `Result`: a summary as a typed value, written and read back
    figures.py      `Figure`: a value with its interval and unit; `ArmComparison`: of two arms
    report.py       `Report`: sections, tables, pictures and cases, for all renderers alike
    html.py, terminal.py   the renderers of a report; the app's is `ui/evaluate/report_view.py`
    kept_run.py, lines_file.py   the folder of a run, and its lines that outlive the process

A whole experiment is some thirty lines. This one, which a test runs, asks how often two rules find
the shout among texts:

    class ShoutLine(ExperimentLine):
        rule: str
        text: str
        is_right: bool

        @property
        def key(self) -> tuple[str, str]:
            return self.rule, self.text

    class ShoutResult(Result):
        texts: int
        right: dict[str, Interval]
        run: str = ""

    class ShoutRun(ExperimentRun[ShoutLine, ShoutResult]):
        evaluates, what, noun = "shouts", "shouts found", "text"
        command = "dynagrag evaluate shouts"
        lines_file, line_kind, result_kind = "found.jsonl", ShoutLine, ShoutResult

        def report(self) -> Report:
            right = {name: Figure.of(own) for name, own in self.result().right.items()}
            table = Table(("rule", "right"), tuple((name, (own,)) for name, own in right.items()))
            section = Section(tables=(table,), pictures=(BarChart("Right", right),))
            best = max(right, key=lambda name: right[name].value or 0)
            return Report("Shouts", "Which rule finds them?", f"{best}.", results=(section,))

    class ShoutExperiment(ItemExperiment[Text, ShoutLine, ShoutResult, ShoutRun]):
        run_kind, name, arms = ShoutRun, "shouts", tuple(RULES)

        def __init__(self, items: Sequence[Text]) -> None:
            self.items = items

        def made_with(self) -> Mapping[str, JsonValue]:
            return {"arms": list(self.arms), "asked": content_id(*map(str, self.items))}

        def measure(self, item: Text, arm: str) -> ShoutLine:
            is_right = RULES[arm](item.id) == item.is_shout
            return ShoutLine(rule=arm, text=item.id, is_right=is_right)

        def summarize(self, lines: Sequence[ShoutLine], path: Path) -> ShoutResult:
            values = {a: [float(own.is_right) for own in lines if own.rule == a] for a in self.arms}
            right = share_intervals(values)
            return ShoutResult(texts=len(self.items), right=right, run=str(path))

    run, result = run_experiment(ShoutExperiment(texts), home)
"""
