/**
 * The other end of a link, in its own network namespace. `receive ADDRESS PORT INTERFACE` periodically prints how many
 * datagrams arrived so far; `send ADDRESS PORT INTERFACE` sends a datagram of seven packets every 10 ms. An interface
 * is given by its address for IPv4, and as `::%NAME` for IPv6.
 */
import { createSocket } from 'node:dgram';
import { packets } from '../../native/udp/test-rig.ts';

const [what, address = '', port = '0', writer = ''] = process.argv.slice(2);
const isV6 = address.includes(':');
const isGroup = isV6 ? address.startsWith('ff') : address.startsWith('239.');
const socket = createSocket({ type: isV6 ? 'udp6' : 'udp4', reuseAddr: true });

if (what === 'receive') {
  let count = 0;
  socket.on('message', () => {
    count++;
    if (count % 10 === 1) console.log(count);
  });
  socket.bind(Number(port), () => {
    if (isGroup) socket.addMembership(address, writer);
    console.log('ready');
  });
} else {
  let sent = 0;
  socket.bind(0, () => {
    if (isGroup) socket.setMulticastInterface(writer);
    setInterval(() => {
      socket.send(packets(7, 7 * sent++), Number(port), address, () => undefined);
    }, 10);
  });
}
