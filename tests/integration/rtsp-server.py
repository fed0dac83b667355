"""An RTSP server for tests: rtsp-server.py PORT TRANSPORTS PASSWORD SCHEME ENCODING [LOSE].

TRANSPORTS: tcp, udp or both. With a PASSWORD other than '-', the user "me" has to bring it by SCHEME (basic or digest).
ENCODING: h264 (picture and sound) or mulaw (nothing that a transport stream holds). LOSE: one packet of sound in so
many is left out, with its number; 0 for none.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

port, transports, password, scheme, encoding, *rest = sys.argv[1:]
lose = int(rest[0]) if rest else 0

VIDEO = (
    "videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=25/1"
    " ! x264enc tune=zerolatency speed-preset=ultrafast bitrate=1500 key-int-max=25 ! rtph264pay name=pay0 pt=96"
)
AUDIO = "audiotestsrc is-live=true ! audio/x-raw,rate=48000,channels=2 ! voaacenc ! rtpmp4gpay name=pay1 pt=97"
MULAW = "audiotestsrc is-live=true ! audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay name=pay0"
PROTOCOLS = {
    "tcp": GstRtsp.RTSPLowerTrans.TCP,
    "udp": GstRtsp.RTSPLowerTrans.UDP,
    "both": GstRtsp.RTSPLowerTrans.TCP | GstRtsp.RTSPLowerTrans.UDP,
}

Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(port)
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(f"( {MULAW} )" if encoding == "mulaw" else f"( {VIDEO} {AUDIO} )")
# Each client gets media of its own: a client that joins shared media while another one starts to play can end the
# server (GStreamer 1.22: "gst_rtsp_media_get_rates: assertion failed") or wait in vain.
factory.set_shared(False)
factory.set_protocols(PROTOCOLS[transports])


def lose_packets(_factory, media):
    seen = 0

    def pass_or_drop(_pad, _info):
        nonlocal seen
        seen += 1
        return Gst.PadProbeReturn.DROP if seen % lose == 0 else Gst.PadProbeReturn.OK

    pad = media.get_element().get_by_name("pay1").get_static_pad("src")
    pad.add_probe(Gst.PadProbeType.BUFFER, pass_or_drop)


if lose > 0:
    factory.connect("media-configure", lose_packets)

if password != "-":
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "user")
    if scheme == "basic":
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic("me", password), token)
    else:
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
        auth.add_digest("me", password, token)
    server.set_auth(auth)
    permissions = GstRtspServer.RTSPPermissions()
    permissions.add_permission_for_role("user", "media.factory.access", True)
    permissions.add_permission_for_role("user", "media.factory.construct", True)
    factory.set_permissions(permissions)

server.get_mount_points().add_factory("/cam", factory)
server.attach(None)
GLib.MainLoop().run()
