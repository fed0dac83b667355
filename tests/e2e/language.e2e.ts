import { startHub } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { test as base, expect } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';

const cookieDays = 30;

base.describe('before sign-in', () => {
  base.use({ account: 'nobody' });

  base(
    'the hub’s language is used until the user chooses one, which changes the page at once and is kept',
    async ({ page, context, faults }) => {
      const hub = await startHub({});
      try {
        await hub.login();
        faults.expect(notSignedIn);
        const title = (name: string) => page.getByRole('heading', { name, level: 1 });
        const html = page.locator('html');
        // No choice yet: the browser's language.
        await page.goto(`${hub.url}/#/login`);
        await expect(title('Sign in')).toBeVisible();
        await hub.api('/api/settings/set', { language: 'zh' });
        await page.reload();
        await expect(title('登录')).toBeVisible();
        await expect(html).toHaveAttribute('lang', 'zh-CN');
        expect(await context.cookies(hub.url)).toEqual([]);

        await page.getByRole('button', { name: 'English' }).click();
        await expect(title('Sign in')).toBeVisible();
        await expect(html).toHaveAttribute('lang', 'en');
        const [kept] = await context.cookies(hub.url);
        expect(kept).toMatchObject({ name: 'signalbox-language', value: 'en' });
        expect(((kept?.expires ?? 0) - Date.now() / 1000) / 86_400).toBeCloseTo(cookieDays, 1);
        await page.reload();
        await expect(title('Sign in')).toBeVisible();

        await context.addCookies([await signInCookie(hub, 'admin')]);
        await page.goto(`${hub.url}/#/settings/profile`);
        await page.getByRole('radiogroup', { name: 'Language' }).getByText('中文').click();
        await expect(title('个人资料')).toBeVisible();
        await page.reload();
        await expect(title('个人资料')).toBeVisible();
      } finally {
        await page.close();
        await hub.stop();
      }
    },
  );
});
