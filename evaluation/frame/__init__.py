"""The frame of every evaluation: what is measured, its run, its typed result, and how that is
read. CONTRIBUTING.md ("A kind of evaluation") shows a whole one, which a test runs.

    experiment.py   `Experiment`: settings, arms, items, how one item is measured, how lines are
                    summed; a new kind of evaluation is one of these, and a reader of its data
    experiment_run.py   the run of a kind, a folder: its names, its lines, its result, its report
    running.py      `run_experiment`: from an experiment to its folder; `metered_model` for those
                    that ask a language model
    results.py      `Result`: a summary as a typed value, written and read back
    figures.py      `Figure`: a value with its interval and unit; `ArmComparison`: of two arms
    report.py       `Report`: sections, tables, pictures and cases, for all renderers alike
    html.py, terminal.py   the renderers of a report; the app's is `ui/evaluate/report_view.py`
    kept_run.py, lines_file.py   folders of runs, and lines that outlive the process
"""
