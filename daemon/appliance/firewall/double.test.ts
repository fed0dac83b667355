import type { Service } from './contract-for-test.ts';
import { describeFirewall, wanInterface } from './contract-for-test.ts';
import { createFirewallDouble } from './double-for-test.ts';

describeFirewall('the firewall in memory', async () => {
  const double = createFirewallDouble();
  return {
    port: double.port,
    reaches: async (from, services) =>
      services.filter((service: Service) => {
        const [protocol = '', port] = service.split(' ');
        const on = from === 'wan' ? wanInterface : 'eth0';
        return double.lets({ on, protocol: protocol === 'tcp' ? 'tcp' : 'udp', port: Number(port) });
      }),
    flush: async () => double.flush(),
    close: async () => {},
  };
});
