"""The Videohub client of python3-pyatem: videohub-client.py ADDRESS PORT.

Routes what standard input asks for, as lines `OUTPUT INPUT`, and prints what the client understood, as JSON lines.
"""

import json
import sys
import threading

from pyatem.videohub import VideoHub

hub = VideoHub(sys.argv[1], int(sys.argv[2]))


def tell(event, **what):
    print(json.dumps({"event": event, **what}), flush=True)


def show(device):
    tell(
        "connect",
        version=device.version,
        model=device.model,
        name=device.model_display,
        id=device.uuid,
        inputs=device.input_label,
        outputs=device.output_label,
        routes=device.output_source,
    )


def route():
    for line in sys.stdin:
        hub.set_source(*(int(number) for number in line.split()))


hub.on("connect", show)
for name in ("route-change", "input-label-change", "output-label-change"):
    hub.on(name, lambda device, name=name, **what: tell(name, **what))
hub.connect()
threading.Thread(target=route, daemon=True).start()
while True:
    hub.loop()
