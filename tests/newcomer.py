"""The way of somebody new, read from the README: commands, file and buttons, up to the first label."""

import re
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def way(readme=README):
    """The section on the browser: the commands to type, the name and content of the file, the buttons to press."""
    text = readme.read_text("utf-8").partition("\n## In the browser\n")[2].partition("\n## ")[0]
    commands = re.search(r"^```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1].splitlines()
    name, content = re.search(r"`(\w+\.csv)`:\n\n```csv\n(.*?)^```$", text, re.DOTALL | re.MULTILINE).groups()
    steps = re.findall(r"^\d\. (.*)$", text, re.MULTILINE)
    classes = re.search(r"type `([^`]+)` as the classes", steps[1])[1]
    return commands, (name, content), classes, [re.findall(r"\*([^*]+)\*", step) for step in steps]


def give_first_label(browser, address, key):
    """Go the way in a browser; the number of labels that the dashboard shows in the end, and who is asked what."""
    _, (name, content), classes, ((sign_in, new), (start,), (invite, links)) = way()
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.fill("input[name=key]", key)
    page.click(f"text={sign_in}")
    page.click(f"text={new}")
    page.set_input_files("input[type=file]", files=[{"name": name, "mimeType": "text/csv", "buffer": content.encode()}])
    page.fill("input[name=classes]", classes)
    page.click(f"text={start}")
    page.wait_for_selector(f"text={invite}")
    page.fill("#people textarea", "me")
    page.click(f"text={links}")
    work = context.new_page()
    work.goto(page.inner_text("#people .note .mono"))
    work.wait_for_selector(".answers button", timeout=120_000)
    asked = work.inner_text("#task").strip()
    work.wait_for_timeout(300)
    work.keyboard.press("1")
    page.wait_for_selector(".tile:has-text('Labels') b:text-is('1')", timeout=20_000)
    context.close()
    return asked
