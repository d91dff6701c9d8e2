"""Whether this process was told to stop: long answers look at it and end."""

import threading

STOPPING = threading.Event()
