"""The mDNS browser of python3-zeroconf: mdns-browser.py TYPE ADDRESS. Prints each service of the type as a JSON line."""

import json
import sys
import threading

from zeroconf import IPVersion, ServiceBrowser, ServiceStateChange, Zeroconf

kind, own = sys.argv[1:]


def on_change(zeroconf, service_type, name, state_change):
    found = {"event": state_change.name, "name": name.removesuffix("." + service_type)}
    if state_change is not ServiceStateChange.Removed:
        info = zeroconf.get_service_info(service_type, name)
        if info is None:
            return
        found |= {
            "addresses": info.parsed_addresses(),
            "port": info.port,
            "server": info.server,
            "texts": {key.decode(): value.decode() for key, value in info.properties.items()},
        }
    print(json.dumps(found), flush=True)


zeroconf = Zeroconf(interfaces=[own], ip_version=IPVersion.V4Only)
ServiceBrowser(zeroconf, kind, handlers=[on_change])
threading.Event().wait()
