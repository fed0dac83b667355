/** Screenshots of the forms of inputs, outputs, servers and presets: every protocol, with all conditional fields. */
import type { Page } from '@playwright/test';
import type { Scene } from './scene.ts';
import { all, check, choose, chooseAt, fill, inDialog, type Shot, select, still, submit } from './shot.ts';

const addInput = '/stream/input?dialog=add';
const addOutput = '/stream/output?dialog=add';
const addServer = '/stream/server?dialog=add';
const group = { udpHost: '239.255.42.7', udpPort: '5004' };

export function formShots({ main, output, input, link, server }: Scene): Shot[] {
  return [...inputForms, ...testsOf(input, link), ...outputForms(main, output), ...serverForms(main, server)];
}

const inputForms: readonly Shot[] = [
  { name: 'input-add-srt', path: addInput },
  {
    name: 'input-add-srt-listener',
    path: addInput,
    act: all(select('srtMode', 'listener'), select('srtKeyLength', '32')),
  },
  { name: 'input-add-srt-faults', path: addInput, act: all(fill({ srtLatency: '5', srtOverhead: '200' }), submit) },
  { name: 'input-add-rtmp', path: addInput, act: all(choose('RTMP'), check('rtmpAuth')) },
  { name: 'input-add-rtsp', path: addInput, act: all(choose('RTSP'), check('pullAuth')) },
  { name: 'input-add-http', path: addInput, act: choose('HTTP/HLS') },
  { name: 'input-add-udp', path: addInput, act: choose('UDP') },
  { name: 'input-add-rtp-group', path: addInput, act: all(choose('RTP'), fill({ ...group, tsProgram: '101' })) },
  { name: 'input-preset', path: '/stream/input?dialog=preset' },
];

function testsOf(input: number, link: number): Shot[] {
  return [
    { name: 'input-duplicate', path: `/stream/input?dialog=duplicate&id=${input}` },
    { name: 'input-edit', path: `/stream/input?dialog=edit&id=${input}` },
    { name: 'input-test', path: `/stream/input?dialog=test&id=${input}`, act: untilTested },
    { name: 'input-test-good', path: `/stream/input?dialog=test&id=${link}`, act: untilTested },
    {
      name: 'input-test-form',
      path: `/stream/input?dialog=edit&id=${input}`,
      async act(page) {
        await inDialog(page).locator('button[data-size="xs"]').last().click();
        await untilTested(page);
      },
    },
    { name: 'input-save-preset', path: `/stream/input?dialog=save-preset&id=${input}` },
    { name: 'input-replace-preset', path: `/stream/input?dialog=save-preset&id=${input}`, act: all(submit, still) },
  ];
}

function outputForms(channel: number, output: number): Shot[] {
  const detail = `/stream/channel/detail/${channel}`;
  return [
    { name: 'output-add-rtmp', path: `${detail}?dialog=add-output` },
    { name: 'output-add-faults', path: `${detail}?dialog=add-output`, act: submit },
    { name: 'output-edit', path: `${detail}?dialog=edit-output&id=${output}` },
    { name: 'output-duplicate', path: `/stream/output?dialog=duplicate&id=${output}` },
    { name: 'output-add-srt', path: addOutput, act: choose('SRT') },
    { name: 'output-add-srt-listener', path: addOutput, act: all(choose('SRT'), select('srtMode', 'listener')) },
    { name: 'output-add-rtsp', path: addOutput, act: all(choose('RTSP'), check('servedAuth')) },
    { name: 'output-add-udp-group', path: addOutput, act: all(choose('UDP'), fill(group)) },
    { name: 'output-add-rtp', path: addOutput, act: choose('RTP') },
    { name: 'output-preset', path: '/stream/output?dialog=preset' },
  ];
}

function serverForms(channel: number, server: number): Shot[] {
  return [
    { name: 'server-add', path: addServer },
    { name: 'server-add-faults', path: addServer, act: submit },
    { name: 'server-add-srt-caller', path: addServer, act: chooseAt(1) },
    { name: 'server-add-srt-listener', path: addServer, act: chooseAt(2) },
    { name: 'server-edit', path: `/stream/server?dialog=edit&id=${server}` },
    { name: 'server-duplicate', path: `/stream/server?dialog=duplicate&id=${server}` },
    { name: 'server-output', path: `/stream/channel/detail/${channel}?dialog=server-output` },
  ];
}

async function untilTested(page: Page): Promise<void> {
  await page.locator('[role="status"][data-is="done"]').waitFor();
  await still(page);
}
