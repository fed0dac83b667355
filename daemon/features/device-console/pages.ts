/** The hub's own pages on the port of consoles, in the language of the browser's console. */
import type { ResultName } from '../../contract/result.ts';
import { results } from '../../contract/result.ts';

export type Language = 'en' | 'zh';

/** That of the console in this browser, else of the hub, else of the browser. */
export function languageIn(asked: {
  readonly cookie: string | undefined;
  readonly accepted: string | undefined;
  readonly ofHub: Language | undefined;
}): Language {
  const chosen = /(?:^|;\s*)signalbox-language=(en|zh)/.exec(asked.cookie ?? '')?.[1];
  if (chosen !== undefined) return chosen as Language;
  const first = /\b(en|zh)\b/i.exec(asked.accepted ?? '')?.[1]?.toLowerCase();
  return asked.ofHub ?? (first === 'zh' ? 'zh' : 'en');
}

export interface Back {
  /** The page of the device on the hub. */
  readonly url: string;
}

type Text = Readonly<Record<Language, string>>;
interface Words {
  readonly title: Text;
  readonly text: Text;
}

/** What is said about a result; the others have `otherwise`. */
const words: Partial<Record<ResultName, Words>> = {
  clientOffline: {
    title: { en: 'The device is offline', zh: '设备离线' },
    text: {
      en: 'The hub cannot reach the device. Check its power and network, then reload this page.',
      zh: '本机无法连接到该设备。请检查设备的电源和网络，然后刷新此页面。',
    },
  },
  clientNotExist: {
    title: { en: 'There is no such device', zh: '没有此设备' },
    text: {
      en: 'The hub has no device with this serial number, or you may not see it.',
      zh: '本机没有该序列号的设备，或者您无权查看它。',
    },
  },
  targetTimeout: {
    title: { en: 'The device does not answer', zh: '设备没有响应' },
    text: {
      en: 'The device did not answer in time. It may be restarting; wait a moment, then reload this page.',
      zh: '设备未在规定时间内响应，可能正在重启。请稍候，然后刷新此页面。',
    },
  },
  verifyFailed: {
    title: { en: 'The certificate of the device has changed', zh: '设备的证书已更改' },
    text: {
      en: 'The device shows a certificate that has not been accepted. Compare it on the page of the device first.',
      zh: '设备出示了未被接受的证书。请先在设备页面上核对该证书。',
    },
  },
  unsupported: {
    title: { en: 'The device has no web page', zh: '设备没有网页' },
    text: {
      en: 'This device is a stream. The hub knows of no web page.',
      zh: '此设备是一路流，没有可打开的网页。',
    },
  },
  notPermitted: {
    title: { en: 'You may not open this page', zh: '您无权打开此页面' },
    text: {
      en: 'Opening the page of a device needs the permission to control devices, or the request came from another page.',
      zh: '打开设备页面需要设备控制权限；或者该请求来自其他页面。',
    },
  },
  notLoggedIn: {
    title: { en: 'This page was closed', zh: '此页面已关闭' },
    text: {
      en: 'You have signed out, the page was not used for a while, or the hub was restarted. Open it again from the hub.',
      zh: '您已退出登录、页面长时间未使用，或者本机已重启。请从本机控制台重新打开。',
    },
  },
  tooMany: {
    title: { en: 'Too many device pages are open', zh: '打开的设备页面过多' },
    text: {
      en: 'Close some pages of devices, then try again.',
      zh: '请关闭一些设备页面，然后重试。',
    },
  },
  invalidData: {
    title: { en: 'The answer of the device cannot be shown', zh: '无法显示设备的响应' },
    text: {
      en: 'The device closed the connection, sent something that is not HTTP, or redirects to another address.',
      zh: '设备关闭了连接、返回了非 HTTP 的内容，或者重定向到其他地址。',
    },
  },
};
const otherwise: Words = {
  title: { en: 'The page of the device cannot be opened', zh: '无法打开设备页面' },
  text: { en: 'Try again later.', zh: '请稍后重试。' },
};

const backText: Text = { en: 'Back to the device in the hub', zh: '返回本机中的设备' };
const codeText: Text = { en: 'Error code', zh: '错误代码' };
const switchWords: Words = {
  title: { en: 'Close the other device first', zh: '请先关闭另一台设备' },
  text: {
    en: 'This browser has another device open at this address. Close all of its tabs: a page that stays open could act on the device that you open now.',
    zh: '此浏览器在该地址上还打开着另一台设备。请关闭它的所有标签页：仍然打开的页面可能会操作您现在要打开的设备。',
  },
};
const goOn: Text = { en: 'The tabs are closed, continue', zh: '标签页已关闭，继续' };

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#f4f5f7,#141517);color:light-dark(#1f2329,#e6e7e9)}
main{max-width:30rem;margin:1rem;padding:2rem;border-radius:.5rem;background:light-dark(#fff,#1f2124);box-shadow:0 1px 4px #0003}
h1{font-size:1.25rem;margin:0 0 .75rem}
p{margin:0 0 1rem;overflow-wrap:anywhere}
.code{font-size:.875rem;opacity:.75}
a,button{display:inline-block;font:inherit;padding:.625rem 1rem;border-radius:.375rem;border:0;text-decoration:none;cursor:pointer;background:light-dark(#1f5fbf,#2f6fd0);color:#fff}
a:focus-visible,button:focus-visible{outline:3px solid light-dark(#0b3d91,#a8c7ff);outline-offset:2px}`;

function page(language: Language, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><style>${style}</style></head><body><main><h1>${escaped(title)}</h1>${body}</main></body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** `message`: what happened, in English, for those who look into it. */
export function faultPage(result: ResultName, message: string, language: Language, { url }: Back): string {
  const { title, text } = words[result] ?? otherwise;
  const code = `<p class="code">${codeText[language]} ${results[result].code} · <span lang="en">${escaped(message)}</span></p>`;
  const back = `<p><a href="${escaped(url)}">${backText[language]}</a></p>`;
  return page(language, title[language], `<p>${text[language]}</p>${code}${back}`);
}

/** Asks whether the pages of the device that had this origin are closed. */
export function switchPage(ticket: string, action: string, language: Language): string {
  const form = `<form method="post" action="${escaped(action)}"><input type="hidden" name="ticket" value="${escaped(ticket)}"><button>${goOn[language]}</button></form>`;
  return page(language, switchWords.title[language], `<p>${switchWords.text[language]}</p>${form}`);
}

/**
 * Goes on to the page of the device. The browser's cookie is sent with requests of its own origin only, which those that
 * follow a redirect from the hub's page are not. `clears`: what a page of another device has stored at this origin.
 */
export function entryPage(nonce: string, clears: boolean): string {
  const clearing = `
try{localStorage.clear();sessionStorage.clear()}catch{}
const done=[];
try{for(const name of await caches.keys())done.push(caches.delete(name))}catch{}
try{for(const {name} of await indexedDB.databases())if(name)indexedDB.deleteDatabase(name)}catch{}
try{for(const one of await navigator.serviceWorker.getRegistrations())done.push(one.unregister())}catch{}
await Promise.allSettled(done);`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>…</title>
<script type="module" nonce="${nonce}">${clears ? clearing : ''}
location.replace('/');</script><noscript><meta http-equiv="refresh" content="0;url=/"></noscript></head><body></body></html>
`;
}
