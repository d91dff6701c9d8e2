"""The acceptance lines themselves, a row each: `issue.line · wanted · measured · holds`.

`python -m tests.prove` runs them all, `python -m tests.prove 2.3` one; the exit code says whether all hold.
"""

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests import (
    proofs_campaign,
    proofs_engine,
    proofs_house,
    proofs_large,
    proofs_paper,
    proofs_report,
    proofs_reproduction,
    proofs_server,
)


class Row(NamedTuple):
    wanted: str
    measured: str
    holds: bool


LINES: dict[str, Callable[[], Iterator[tuple[str, str, bool]]]] = {
    "2.1": proofs_engine.fresh_clone,
    "2.2": proofs_engine.literal_transcription,
    "2.3": proofs_engine.tables_of_the_specification,
    "2.4": proofs_engine.speed,
    "2.5": proofs_engine.regret,
    "2.6": proofs_engine.instant_help,
    "2.7": proofs_engine.bad_input,
    "3.1": proofs_reproduction.times,
    "3.2": proofs_paper.optkg_is_exact_and_fast,
    "3.3": proofs_paper.transcriptions_and_completion,
    "3.4": proofs_paper.tables_of_the_specification,
    "3.5": proofs_reproduction.goes_on,
    "3.6": proofs_report.report_stands_alone,
    "3.7": proofs_reproduction.bad_data,
    "4.1": proofs_campaign.killed_processes,
    "4.2": proofs_campaign.racing_processes,
    "4.3": proofs_large.million_tasks,
    "4.4": proofs_campaign.promises,
    "4.5": proofs_campaign.same_decisions,
    "4.6": proofs_campaign.push_and_pull,
    "4.7": proofs_campaign.hardship,
    "4.8": proofs_campaign.documents,
    "5.1": proofs_server.pages,
    "5.2": proofs_server.security,
    "5.3": proofs_server.schema,
    "5.4": proofs_server.speed,
    "5.5": proofs_server.nothing_lost,
    "5.6": proofs_server.newcomer,
    "6.1": proofs_house.few_labels,
    "6.2": proofs_house.never_worse,
    "6.3": proofs_house.calibrated,
    "6.6": proofs_house.fast,
    "6.7": proofs_house.shared,
    "6.8": proofs_house.history,
    "6.9": proofs_house.more_classes,
}


def main(wanted: list[str]) -> int:
    unknown = [line for line in wanted if line not in LINES]
    if unknown:
        print(f"there is no line {unknown[0]}: choose among {', '.join(LINES)}", file=sys.stderr)
        return 2
    all_hold = True
    for line in wanted or LINES:
        for row in map(Row._make, LINES[line]()):
            print(f"{line} · {row.wanted} · {row.measured} · {'holds' if row.holds else 'DOES NOT HOLD'}", flush=True)
            all_hold = all_hold and row.holds
    return 0 if all_hold else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
