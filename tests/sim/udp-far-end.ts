/**
 * The other end of a link, in a network namespace of its own. `receive ADDRESS PORT INTERFACE` prints how many datagrams
 * came so far whenever that changed; `send ADDRESS PORT INTERFACE` sends a datagram of seven packets every 10 ms.
 */
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { packets } from '../../native/udp/test-rig.ts';

const [what, address = '', port = '0', device = ''] = process.argv.slice(2);
const isV6 = address.includes(':');
const isGroup = isV6 ? address.startsWith('ff') : address.startsWith('239.');
const own = networkInterfaces()[device]?.find(({ family }) => family === (isV6 ? 'IPv6' : 'IPv4'))?.address ?? '';
/** Node names an interface by its address for IPv4, and by its name for IPv6. */
const outlet = isV6 ? `::%${device}` : own;
const socket = createSocket({ type: isV6 ? 'udp6' : 'udp4', reuseAddr: true });

if (what === 'receive') {
  let count = 0;
  socket.on('message', () => {
    count++;
    if (count % 10 === 1) console.log(count);
  });
  socket.bind(Number(port), () => {
    if (isGroup) socket.addMembership(address, outlet);
    console.log('ready');
  });
} else {
  let sent = 0;
  socket.bind(0, () => {
    if (isGroup) socket.setMulticastInterface(outlet);
    setInterval(() => {
      socket.send(packets(7, 7 * sent++), Number(port), address, () => undefined);
    }, 10);
  });
}
