"""Reading pages as a browser would, with the standard library's parser."""

from html.parser import HTMLParser

VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """What a page asks for, and whether its elements close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.sources, self.images, self.ids, self.tags, self.links = [], [], [], [], [], []
        self.captions = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.sources += [value for key, value in attrs if key in {"src", "srcset", "data", "poster", "action"}]
        self.sources += [given["href"]] if tag == "link" else []
        self.links += [given["href"]] if tag == "a" else []
        self.ids += [given["id"]] if "id" in given else []
        self.images += [given] if tag == "img" else []
        self.captions += tag == "figcaption"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"
