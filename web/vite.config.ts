import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import react from '@vitejs/plugin-react';
import { type Alias, defineConfig, type Plugin } from 'vite';
import { chunkGroups } from './chunk-groups.ts';
import { precompress } from './precompress.ts';

const web = dirname(fileURLToPath(import.meta.url));
const linguiConfig = join(web, '..', 'lingui.config.ts');
const compat = join(web, 'src', 'compat');

/**
 * We write against React and ship preact/compat: the same behaviour, 60 KiB less. Mantine imports `Activity`, which
 * preact lacks; the shim adds it.
 */
const preactAliases: Alias[] = [
  { find: /^react$/, replacement: join(compat, 'react.ts') },
  { find: /^react-dom$/, replacement: 'preact/compat' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^react\/jsx-dev-runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^scheduler$/, replacement: 'preact/compat/scheduler' },
];

/** The router's package names its development build only. */
const productionAliases: Alias[] = [
  { find: /^react-router$/, replacement: join(web, '../node_modules/react-router/dist/production/index.mjs') },
  {
    find: /^react-router\/dom$/,
    replacement: join(web, '../node_modules/react-router/dist/production/dom-export.mjs'),
  },
];

/** The plugin's types ask for every option there is. */
const babelOptions = {
  presets: [linguiTransformerBabelPreset({}, { configPath: linguiConfig })],
} as unknown as Parameters<typeof babel>[0];

function precompressed(): Plugin {
  let outDir = '';
  return {
    name: 'precompressed',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      await precompress(outDir);
    },
  };
}

/** Development runs on React, whose strict mode finds effect faults that preact ignores. */
export default defineConfig(({ command }) => {
  const runtime = process.env.RUNTIME ?? (command === 'build' ? 'preact' : 'react');
  const hub = process.env.HUB ?? 'http://127.0.0.1:8880';
  return {
    base: './',
    resolve: {
      alias: [...(command === 'build' ? productionAliases : []), ...(runtime === 'preact' ? preactAliases : [])],
    },
    plugins: [
      react(),
      lingui({ configPath: linguiConfig, failOnCompileError: true }),
      babel(babelOptions),
      precompressed(),
    ],
    // The page's content policy allows no data: addresses.
    build: {
      outDir: 'dist',
      emptyOutDir: true,
      assetsInlineLimit: 0,
      manifest: true,
      rolldownOptions: { output: { codeSplitting: { groups: chunkGroups(join(web, 'src')) } } },
      target: 'es2023',
      // In KiB: the player of the preview, loaded with it. tests/budget has the limits of everything else.
      chunkSizeWarningLimit: 640,
      reportCompressedSize: false,
    },
    server: { port: 5173, proxy: { '/api': { target: hub, changeOrigin: true } } },
  };
});
