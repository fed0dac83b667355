import { afterEach, expect, test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/react';
import { renderPage } from '../render-for-test.tsx';
import { areSingleKeysOn, switchSingleKeys, useSingleKey } from './single-keys.ts';

let pressed = 0;
const press = () => {
  pressed += 1;
};

function Page({ isCovered = false }: { isCovered?: boolean }) {
  useSingleKey('/', press);
  return (
    <>
      <button type="button">here</button>
      <input aria-label="field" />
      {isCovered && <div role="dialog" aria-modal="true" />}
    </>
  );
}

function show(isCovered = false) {
  pressed = 0;
  renderPage(<Page isCovered={isCovered} />);
}

afterEach(() => {
  switchSingleKeys(true);
});

test('a single key acts, but not with a modifier, while typing or while a dialog is open', () => {
  show();
  fireEvent.keyDown(screen.getByRole('button'), { key: '/' });
  expect(pressed).toBe(1);
  fireEvent.keyDown(screen.getByRole('button'), { key: '/', ctrlKey: true });
  fireEvent.keyDown(screen.getByRole('button'), { key: '?' });
  fireEvent.keyDown(screen.getByRole('textbox'), { key: '/' });
  expect(pressed).toBe(1);
  show(true);
  fireEvent.keyDown(document.body, { key: '/' });
  expect(pressed).toBe(0);
});

test('when switched off, no single key acts, also in a page that is already open; when switched on, it does', () => {
  show();
  expect(switchSingleKeys(false)).toBe(true);
  expect(areSingleKeysOn()).toBe(false);
  fireEvent.keyDown(document.body, { key: '/' });
  expect(pressed).toBe(0);
  switchSingleKeys(true);
  fireEvent.keyDown(document.body, { key: '/' });
  expect(pressed).toBe(1);
});
