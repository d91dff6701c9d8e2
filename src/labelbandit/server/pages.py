"""The pages: shells that scripts of ours fill through the API. Nothing a user wrote is ever part of them."""

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from labelbandit import __version__

FOLDER = Path(__file__).parent
_templates = Jinja2Templates(FOLDER / "templates")
router = APIRouter(include_in_schema=False)


def _page(request: Request, name: str) -> HTMLResponse:
    demo = getattr(request.app.state, "demo", None) is not None
    return _templates.TemplateResponse(request, name, {"version": __version__, "demo": demo})


@router.get("/")
def home(request: Request) -> HTMLResponse:
    """The requester's campaigns."""
    return _page(request, "home.html")


@router.get("/new")
def new(request: Request) -> HTMLResponse:
    """A campaign from a file."""
    return _page(request, "new.html")


@router.get("/c/{campaign}")
def campaign(request: Request) -> HTMLResponse:
    """A campaign's dashboard."""
    return _page(request, "campaign.html")


@router.get("/w")
def work(request: Request) -> HTMLResponse:
    """The worker's page."""
    return _page(request, "work.html")
