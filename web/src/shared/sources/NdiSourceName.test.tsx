import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { featureBits } from '../../../../daemon/contract/variant.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { SourceDialog } from './SourceDialog.tsx';

function open(features: number) {
  const asked = answerCalls({
    '/api/session': { result: 0, 'is-hardware': false, 'feature-support': features, user: { permission: 0xffffffff } },
    '/api/ndi/source/list': { result: 0, list: [{ name: 'STUDIO (Cam 1)', own: false }] },
    '/api/ndi/preset/list': {
      result: 0,
      list: [
        {
          ...{ id: 1, name: 'Roof camera', source: 'ROOF (Main)', group: 'News' },
          ...{ 'discovery-server': '10.0.0.5', 'low-bandwidth': true },
        },
      ],
    },
  });
  renderPage(
    <SourceDialog
      {...{ title: 'Add input', verb: 'Add input', protocols: ['ndi'], isInput: true }}
      {...{ stored: undefined, queryKey: ['inputs'], reveal: undefined }}
      save={async () => {}}
      onClose={() => {}}
    />,
  );
  return asked;
}

test('sources on the network and presets are offered; a preset fills in the form', async () => {
  open(featureBits.ndi | featureBits.ndiRouter);
  const name = await screen.findByLabelText('Source name');
  const offered = () => [...document.querySelectorAll('datalist option')].map((option) => option.getAttribute('value'));
  await waitFor(() => expect(offered()).toEqual(['STUDIO (Cam 1)', 'ROOF (Main)']));
  fireEvent.change(name, { target: { value: 'STUDIO (Cam 1)' } });
  expect(screen.getByLabelText('Groups')).toHaveProperty('value', '');
  fireEvent.change(name, { target: { value: 'ROOF (Main)' } });
  expect(name).toHaveProperty('value', 'ROOF (Main)');
  expect(screen.getByLabelText('Groups')).toHaveProperty('value', 'News');
  expect(screen.getByLabelText('Discovery servers')).toHaveProperty('value', '10.0.0.5');
  expect(screen.getByLabelText('Low bandwidth')).toHaveProperty('checked', true);
});

test('a hub that routes no NDI is not asked for sources', async () => {
  const asked = open(featureBits.ndi);
  await screen.findByLabelText('Source name');
  expect(asked.map(({ path }) => path)).not.toContain('/api/ndi/source/list');
});
