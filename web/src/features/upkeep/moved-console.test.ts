import { expect, test } from 'bun:test';
import { movedConsole } from './moved-console.ts';

const at = (protocol: string, port: string) => ({ protocol, hostname: 'hub.example', port });

test.each([
  [at('http:', ''), { http: 80, https: 443 }, undefined],
  [at('https:', ''), { http: 80, https: 443 }, undefined],
  [at('http:', '8880'), { http: 8880, https: null }, undefined],
  [at('http:', '81'), { http: 80, https: null }, 'http://hub.example:80/'],
  [at('https:', '8444'), { http: 8880, https: 8443 }, 'https://hub.example:8443/'],
  [at('https:', ''), { http: 8880, https: null }, 'http://hub.example:8880/'],
  // Any free port, which is not known yet.
  [at('http:', '40123'), { http: 0, https: null }, undefined],
])('a console at %j with the ports %j afterwards is found at %p', (place, ports, url) => {
  expect(movedConsole(place, ports)).toBe(url);
});
