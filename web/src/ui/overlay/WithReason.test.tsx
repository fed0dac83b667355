import { beforeEach, expect, test } from 'bun:test';
import { Button } from '@mantine/core';
import { fireEvent, screen } from '@testing-library/react';
import { renderPage } from '../render-for-test.tsx';
import { WithReason } from './WithReason.tsx';

const reason = 'Limit of 16 destinations reached.';
let shown: string[] = [];
let isOpen = false;

/** happy-dom has no popovers. */
beforeEach(() => {
  shown = [];
  isOpen = false;
  const { matches } = HTMLElement.prototype;
  Object.assign(HTMLElement.prototype, {
    showPopover(this: HTMLElement) {
      shown.push(this.textContent ?? '');
      isOpen = true;
    },
    hidePopover() {
      isOpen = false;
    },
    matches(this: HTMLElement, selector: string) {
      return selector === ':popover-open' ? isOpen : matches.call(this, selector);
    },
  });
});

function show(why: string | undefined): { button: HTMLElement; pressed: () => number } {
  let count = 0;
  renderPage(
    <WithReason reason={why}>
      <Button onClick={() => count++}>Add</Button>
    </WithReason>,
  );
  return { button: screen.getByRole('button', { name: 'Add' }), pressed: () => count };
}

test('an available button is only the button', () => {
  const { button, pressed } = show(undefined);
  fireEvent.click(button);
  expect(pressed()).toBe(1);
  expect(screen.queryByText(reason)).toBeNull();
});

test('an unavailable button does nothing, and has its reason as description', () => {
  const { button, pressed } = show(reason);
  fireEvent.click(button);
  expect(pressed()).toBe(0);
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(button.hasAttribute('disabled')).toBe(false);
  expect(document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent).toBe(reason);
});

test('the reason shows when the button is pressed, gets the focus or the pointer', () => {
  const { button } = show(reason);
  fireEvent.click(button);
  expect(shown).toEqual([reason]);
  fireEvent.blur(button);
  expect(isOpen).toBe(false);
  fireEvent.focus(button);
  expect(shown).toEqual([reason, reason]);
  fireEvent.blur(button);
  fireEvent.mouseEnter(button.parentElement ?? button);
  expect(shown).toHaveLength(3);
  fireEvent.mouseLeave(button.parentElement ?? button);
  expect(isOpen).toBe(false);
});
