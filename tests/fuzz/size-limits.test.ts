/** Every parser of untrusted input handles its size limit within 50 ms of the event loop, which all streams share. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { cpuMs, slowness } from './worst-case.ts';
import { consoleCases } from './worst-cases/device-console.ts';
import { deviceCases } from './worst-cases/devices.ts';
import { flvCases } from './worst-cases/flv.ts';
import { formCases } from './worst-cases/forms.ts';
import { httpCases } from './worst-cases/http.ts';
import { hubCases } from './worst-cases/hub.ts';
import { linkCases } from './worst-cases/link.ts';
import { panelCases } from './worst-cases/panels.ts';
import { rtmpCases } from './worst-cases/rtmp.ts';
import { rtspCases } from './worst-cases/rtsp.ts';
import { tsCases } from './worst-cases/ts.ts';

setDefaultTimeout(120_000);
const limitMs = 50 * (await slowness());

const cases = [
  ...httpCases,
  ...rtspCases,
  ...rtmpCases,
  ...flvCases,
  ...tsCases,
  ...hubCases,
  ...linkCases,
  ...panelCases,
  ...deviceCases,
  ...consoleCases,
  ...formCases,
];

for (const worst of cases) {
  test(`${worst.parser}: ${worst.input}`, async () => {
    const ms = await cpuMs(worst, limitMs);
    if (process.env.SHOW_CPU) console.log(`${ms.toFixed(1).padStart(9)} ms  ${worst.parser}: ${worst.input}`);
    expect(ms).toBeLessThan(limitMs);
  });
}
