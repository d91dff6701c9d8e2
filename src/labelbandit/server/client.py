"""A client: a server's campaigns from Python, with the verbs and values of a local campaign."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self

import httpx

from labelbandit.campaign.values import (
    Assignment,
    Estimate,
    Explanation,
    Label,
    Nothing,
    Progress,
    Reason,
    State,
    Task,
    Worker,
)
from labelbandit.model import errors
from labelbandit.model.errors import LabelbanditError, StoreUnavailable, UnknownName

_PAGE = 10_000


def _code(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


_ERRORS: dict[str, type[LabelbanditError]] = {
    _code(name): kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, LabelbanditError)
}


class Client:
    """A server, by its address and a requester's key."""

    def __init__(self, url: str, key: str, *, timeout: float = 30.0, transport: httpx.BaseTransport | None = None) -> None:
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1",
            headers={"Authorization": f"Bearer {key}"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def campaigns(self) -> "list[RemoteCampaign]":
        """The campaigns that the key opens, oldest first."""
        return [RemoteCampaign(self, row["id"], row["name"]) for row in self.send("GET", "campaigns")]

    def create_campaign(self, name: str, *, classes: Sequence[str], budget: int, **terms: Any) -> "RemoteCampaign":
        """Make a campaign; the terms are those of `labelbandit.create_campaign`."""
        made = self.send("POST", "campaigns", {"name": name, "classes": list(classes), "budget": budget, **terms})
        return RemoteCampaign(self, made["id"], made["name"])

    def open_campaign(self, name: str) -> "RemoteCampaign":
        """The campaign of that name."""
        for one in self.campaigns():
            if one.name == name:
                return one
        raise UnknownName(f"there is no campaign {name!r} on this server: create it first")

    def send(self, method: str, path: str, body: Any = None, *, request: str | None = None, **query: Any) -> Any:
        """Send a request; a refusal is raised as the error it would be locally."""
        headers = {} if request is None else {"Idempotency-Key": request}
        try:
            answer = self._http.request(method, path, json=body, params=query or None, headers=headers)
        except httpx.HTTPError as error:
            raise StoreUnavailable(f"the server cannot be reached ({error}): check its address, and try again") from None
        try:
            said = answer.json()
        except ValueError:
            said = {"detail": f"the server answered {answer.status_code} with no JSON: check its address"}
        if answer.is_success and not (isinstance(said, dict) and set(said) == {"detail"}):
            return said
        raise _ERRORS.get(said.get("error", ""), LabelbanditError)(said.get("detail", str(answer.status_code)))


class RemoteCampaign:
    """A campaign on a server."""

    def __init__(self, client: Client, id_: str, name: str) -> None:
        self._client = client
        self.id = id_
        self.name = name

    def _get(self, path: str, **query: Any) -> Any:
        return self._client.send("GET", f"campaigns/{self.id}/{path}", **query)

    def _post(self, path: str, body: Any, request: str | None = None) -> Any:
        return self._client.send("POST", f"campaigns/{self.id}/{path}", body, request=request)

    def add_tasks(self, *tasks: Task) -> None:
        """Let tasks join, at any time."""
        self._post("tasks", {"tasks": [asdict(task) for task in tasks]})

    def add_workers(self, *workers: Worker) -> dict[str, str]:
        """Let workers join, at any time; their links by name, which are told this once."""
        given = [{"id": one.id, "price": one.price, "cap": one.cap, "expert": one.expert} for one in workers]
        return {made["worker"]: made["link"] for made in self._post("workers", {"workers": given})}

    def ask(self, *present: str, request: str | None = None) -> Assignment | Nothing:
        """Lend a task; see `Campaign.ask`."""
        return _lent(self._post("ask", {"present": list(present)}, request))

    def holding(self, worker: str) -> list[Assignment]:
        """The worker's open assignments, oldest first."""
        return [Assignment(**one) for one in self._get("holding", worker=worker)]

    def tell(
        self,
        assignment: Assignment | int,
        answer: str,
        *,
        price: int | None = None,
        lead_time: float | None = None,
        source: str | None = None,
        request: str | None = None,
    ) -> Label:
        """Take an answer; see `Campaign.tell`."""
        body = {"assignment": _number(assignment), "answer": answer, "lead_time": lead_time, "price": price, "source": source}
        return Label(**self._post("tell", body, request))

    def tell_and_ask(
        self, assignment: Assignment | int, answer: str, *, lead_time: float | None = None, request: str | None = None
    ) -> tuple[Label, Assignment | Nothing]:
        """Take an answer and serve its worker again, in one step."""
        body = {"assignment": _number(assignment), "answer": answer, "lead_time": lead_time}
        told = self._post("tell-and-ask", body, request)
        return Label(**told["label"]), _lent(told["next"])

    def decline(self, assignment: Assignment | int) -> None:
        """The worker would rather not."""
        self._post("decline", {"assignment": _number(assignment)})

    def renew(self, assignment: Assignment | int) -> Assignment:
        """Give the worker the whole lease again."""
        return Assignment(**self._post("renew", {"assignment": _number(assignment)}))

    def correct(self, task: str, worker: str, answer: str) -> None:
        """Put another answer in place of the worker's."""
        self._post("correct", {"task": task, "worker": worker, "answer": answer})

    def attach(self, task: str, worker: str, answer: str, *, price: int = 0) -> None:
        """Take a label that nobody was asked for."""
        self.attach_many([(task, worker, answer)], price=price)

    def attach_many(self, labels: Sequence[tuple[str, str, str]], *, price: int = 0) -> None:
        """Take many labels that nobody was asked for, all or none."""
        given = [{"task": task, "worker": worker, "answer": answer} for task, worker, answer in labels]
        self._post("attach", {"labels": given, "price": price})

    def amend(
        self, *, prices: Mapping[str, int] | None = None, caps: Mapping[str, int | None] | None = None, **terms: Any
    ) -> None:
        """Change terms, prices or caps; see `Campaign.amend`."""
        given = {name: dict(value) for name, value in (("prices", prices), ("caps", caps)) if value is not None}
        self._client.send("PATCH", f"campaigns/{self.id}", terms | given)

    def bar(self, worker: str, *, keep_labels: bool = True) -> None:
        """Ask a worker no more."""
        self._post("workers/bar", {"worker": worker, "keep_labels": keep_labels})

    def withdraw(self, task: str) -> None:
        """Ask nobody about a task any more."""
        self._post("tasks/withdraw", {"task": task})

    def pause(self) -> None:
        """Ask nobody until `resume`."""
        self._post("pause", None)

    def resume(self) -> None:
        """Go on after a pause."""
        self._post("resume", None)

    def close(self) -> None:
        """Ask nobody any more."""
        self._post("close", None)

    def progress(self) -> Progress:
        """Where the campaign stands."""
        found = self._get("progress")
        return Progress(**(found | {"warnings": tuple(found["warnings"])}))

    def estimates(self) -> dict[str, Estimate]:
        """What to believe of every task."""
        return {one["task"]: Estimate(**one) for one in self._pages("estimates")}

    def labels(self) -> Iterator[Label]:
        """Every label, in the order in which they came."""
        return (Label(**one) for one in self._pages("labels"))

    def explain(self, assignment: Assignment | int) -> Explanation:
        """Why this task, why this worker, and with what probability."""
        found = self._get("explain", assignment=_number(assignment))
        present = None if found["present"] is None else tuple(found["present"])
        return Explanation(
            **(
                found
                | {
                    "assignment": Assignment(**found["assignment"]),
                    "state": State(found["state"]),
                    "present": present,
                    "sentences": tuple(found["sentences"]),
                }
            )
        )

    def payload(self, task: str) -> Any:
        """What a worker is shown of the task."""
        return self._get("task", task=task)["payload"]

    def _pages(self, path: str) -> Iterator[dict[str, Any]]:
        start = 0
        while found := self._get(path, start=start, limit=_PAGE):
            yield from found
            start += len(found)


def _number(assignment: Assignment | int) -> int:
    return assignment.number if isinstance(assignment, Assignment) else assignment


def _lent(found: Mapping[str, Any]) -> Assignment | Nothing:
    if found["assignment"] is not None:
        return Assignment(**found["assignment"])
    nothing = found["nothing"]
    return Nothing(Reason(nothing["reason"]), nothing["retry_after"], nothing["detail"])
