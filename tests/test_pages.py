"""The pages in a real browser."""

import json
import time

import httpx
import pytest

from tests.browser import ABSENT, LAUNCH, WIDTH, chromium
from tests.newcomer import give_first_label, way
from tests.processes import RunningServer

sync_api = pytest.importorskip("playwright.sync_api", reason="not run: Playwright is not installed")
pytestmark = [
    pytest.mark.skipif(chromium() is None, reason=ABSENT),
    pytest.mark.xdist_group("server processes"),
]
NASTY = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = RunningServer(f"sqlite:///{tmp_path_factory.mktemp('pages')}/store.db")
    yield server
    server.stop()


class Campaign:
    """A campaign on the server, by plain HTTP."""

    count = 0

    def __init__(self, server, tasks=6, classes=("owl", "jay"), payloads=None, **terms):
        Campaign.count += 1
        self.address, self.key = server.address, server.key
        given = {"name": f"birds {Campaign.count}", "classes": list(classes), "budget": 50, "hold": 2, "seed": 1} | terms
        self.id = self.call("POST", "", given).json()["id"]
        shown = payloads or [{"text": f"bird {at}"} for at in range(tasks)]
        added = {"tasks": [{"id": f"t{at}", "payload": payload} for at, payload in enumerate(shown)]}
        assert self.post("tasks", added).status_code == 201
        self.link = self.post("workers", {"workers": [{"id": "ann"}]}).json()[0]["link"]

    def call(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx.request(method, f"{self.address}/api/v1/campaigns{path}", headers=headers, json=body, timeout=60)

    def post(self, path, body):
        return self.call("POST", f"/{self.id}/{path}", body)

    def get(self, path):
        return self.call("GET", f"/{self.id}/{path}").json()

    def labels(self):
        return [label["answer"] for label in self.get("labels")]

    def wait_for(self, count, seconds=20):
        deadline = time.monotonic() + seconds
        while len(self.labels()) < count and time.monotonic() < deadline:
            time.sleep(0.1)
        return self.labels()


@pytest.fixture
def page(browser):
    context = browser.new_context()
    page = context.new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    yield page
    context.close()


def open_work(page, campaign):
    page.goto(campaign.link)
    page.wait_for_selector(".answers button")


def answer(page, key):
    """Press a key as people do: not within a blink of the task's appearing."""
    page.wait_for_timeout(260)
    page.keyboard.press(key)


def test_a_worker_labels_by_keyboard_until_nothing_is_left(server, page):
    campaign = Campaign(server, tasks=4, max_labels=1)
    open_work(page, campaign)
    assert page.inner_text(".answers button >> nth=0").split() == ["1", "owl"]
    assert "#" not in page.url
    for key in "1212":
        answer(page, key)
    page.wait_for_selector("text=All done")
    assert sorted(campaign.wait_for(4)) == ["jay", "jay", "owl", "owl"]
    assert page.faults == []


def test_the_last_answer_can_be_undone_and_a_task_skipped(server, page):
    campaign = Campaign(server, tasks=3)
    open_work(page, campaign)
    first = page.inner_text("#task")
    answer(page, "1")
    page.wait_for_selector("#own:has-text('1 done by you')")
    answer(page, "Backspace")
    page.wait_for_selector("text=You answered")
    assert first in page.inner_text("#task")
    answer(page, "2")
    page.wait_for_selector("text=Changed.")
    assert campaign.labels() == ["jay"]
    answer(page, "0")
    answer(page, "1")
    campaign.wait_for(2)
    progress = campaign.get("progress")
    assert progress["labels"] == 2


def test_answers_given_without_a_connection_arrive_once(server, page):
    campaign = Campaign(server, tasks=6)
    open_work(page, campaign)
    page.context.set_offline(True)
    answer(page, "1")
    answer(page, "2")
    page.wait_for_selector("text=2 answers are kept")
    assert campaign.labels() == []
    page.context.set_offline(False)
    assert campaign.wait_for(2) == ["owl", "jay"]


def test_an_answer_whose_receipt_was_lost_is_not_doubled_by_a_reload(server, page):
    campaign = Campaign(server, tasks=6)
    open_work(page, campaign)

    def swallow(route):
        route.fetch()
        route.abort()

    page.route("**/work/tell", swallow)
    answer(page, "1")
    campaign.wait_for(1)
    page.wait_for_selector("text=kept on this device")
    page.unroute("**/work/tell")
    page.reload()
    page.wait_for_selector(".answers button")
    answer(page, "2")
    assert campaign.wait_for(2) == ["owl", "jay"]
    assert page.evaluate("Object.values(localStorage)") == ["[]"]


def test_what_a_task_contains_is_never_read_as_markup(server, page):
    payloads = [{"text": NASTY, "image": "javascript:document.title=3"}, {NASTY: NASTY}]
    campaign = Campaign(server, payloads=payloads, classes=(NASTY, "jay"), display={"text": "text", "image": "image"})
    open_work(page, campaign)
    assert NASTY in page.inner_text("#work")
    assert page.evaluate("document.querySelectorAll('#work img, #work script').length") == 0
    assert page.title() not in {"1", "2", "3"}


def test_the_page_fits_a_phone(server, browser):
    long = {"text": "A long text to judge. " * 60}
    campaign = Campaign(server, payloads=[long, long], classes=[f"class number {at}" for at in range(6)])
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    open_work(page, campaign)
    assert page.evaluate(WIDTH) <= 390
    for button in page.query_selector_all(".answers button"):
        box = button.bounding_box()
        assert box["height"] >= 44
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
    page.wait_for_timeout(260)
    page.tap(".answers button >> nth=1")
    assert campaign.wait_for(1) == ["class number 1"]
    context.close()


def test_the_dashboard_fits_a_phone(server, browser):
    campaign = Campaign(server, tasks=3)
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    sign_in(page, server)
    page.goto(f"{server.address}/c/{campaign.id}")
    page.wait_for_selector(".tiles")
    assert page.evaluate(WIDTH) <= 390
    assert page.locator("#sign-out").bounding_box()["x"] < 390
    context.close()


def test_a_task_is_shown_from_its_beginning(server, page):
    campaign = Campaign(server, tasks=1)
    labels = [{"task": "t0", "worker": f"w{at}", "answer": "owl"} for at in range(30)]
    campaign.post("workers", {"workers": [{"id": label["worker"]} for label in labels]})
    campaign.post("attach", {"labels": labels})
    sign_in(page, server)
    page.goto(f"{server.address}/c/{campaign.id}")
    page.click("tr.open-row")
    page.wait_for_selector("dialog[open] td")
    assert page.evaluate("document.querySelector('dialog[open]').scrollTop") == 0


def test_a_screen_reader_hears_the_next_task(server, page):
    open_work(page, Campaign(server, tasks=3))
    assert page.get_attribute("#task", "aria-live") == "polite"
    answer(page, "1")
    page.wait_for_selector("#own:has-text('1 done by you')")
    page.wait_for_selector("#task:focus")
    assert page.get_attribute(".answers", "role") == "group"


def test_nothing_for_you_wakes_by_itself(server, page):
    campaign = Campaign(server, tasks=2)
    campaign.post("pause", {})
    page.goto(campaign.link)
    page.wait_for_selector("text=A pause")
    campaign.post("resume", {})
    page.wait_for_selector(".answers button", timeout=15000)


def test_a_wrong_link_says_so(server, page):
    page.goto(f"{server.address}/w#lbw_wrong")
    page.wait_for_selector("text=This link does not open anything")


def sign_in(page, server):
    page.goto(server.address)
    page.wait_for_selector("dialog")
    page.fill("input[name=key]", server.key)
    page.click("text=Sign in")
    page.wait_for_selector("dialog", state="detached")


def test_a_requester_makes_a_campaign_of_a_file_invites_and_watches_it_live(server, page):
    hosts = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    sign_in(page, server)
    page.click("text=New campaign")
    rows = "\n".join(f"r{at},The room was {'fine' if at % 2 else 'cold'} {at}" for at in range(10))
    content = f"id,text\n{rows}\n".encode()
    page.set_input_files("input[type=file]", files=[{"name": "rooms.csv", "mimeType": "text/csv", "buffer": content}])
    page.fill("input[name=classes]", "good, bad")
    page.click("text=Start the campaign")
    page.wait_for_selector("#people textarea")
    page.fill("#people textarea", "ann\nbob")
    page.click("text=Make links")
    page.wait_for_selector("text=Send each worker their own link")
    link = page.inner_text("#people .mono >> nth=0")
    token = link.rpartition("#")[2]
    work, headers = f"{server.address}/api/v1/work", {"Authorization": f"Bearer {token}"}
    number = httpx.post(f"{work}/ask", headers=headers).json()["work"][0]["assignment"]
    body = {"assignment": number, "answer": "good"}
    assert httpx.post(f"{work}/tell", headers=headers, json=body).status_code == 200
    page.wait_for_selector(".tile:has-text('Labels') b:text-is('1')", timeout=10000)
    page.click("#tasks >> text=Refresh")
    page.wait_for_selector("text=good 1")
    page.click("tr.open-row:has-text('good 1')")
    page.wait_for_selector("dialog[open] >> text=tasks are finished one by one")
    page.click("dialog[open] >> text=Back")
    page.click("text=Pause")
    page.wait_for_selector(".badge.paused")
    assert hosts == {server.address.removeprefix("http://")}
    assert page.faults == []


def test_the_way_of_the_readme_leads_to_a_first_label(server, browser):
    commands, (_, content), _, _ = way()
    assert [command.split()[:2] for command in commands] == [["make", "setup"], [".venv/bin/labelbandit", "serve"]]
    assert give_first_label(browser, server.address, server.key) in content


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/new", "/w"])
def test_pages_run_under_the_content_policy_in_both_schemes(server, browser, path, scheme):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{server.address}{path}")
    page.wait_for_timeout(300)
    assert [text for text in said if "Content Security Policy" in text or "Refused" in text] == []
    context.close()


def test_the_dashboard_of_a_campaign_with_hostile_names_is_plain_text(server, page):
    campaign = Campaign(server, payloads=[{"text": NASTY}], name=NASTY[:100] + str(time.time()))
    campaign.post("workers", {"workers": [{"id": NASTY}]})
    campaign.post("attach", {"labels": [{"task": "t0", "worker": NASTY, "answer": "owl"}]})
    sign_in(page, server)
    page.goto(f"{server.address}/c/{campaign.id}")
    page.wait_for_selector("svg")
    assert page.evaluate("document.querySelectorAll('main img, main script').length") == 0
    assert page.title() not in {"1", "2"}
    assert json.dumps(page.faults) == "[]"
