/**
 * For component tests: `bun test --preload ./web/test-setup.ts web`. A document of happy-dom, the macros of Lingui, and
 * nothing for style sheets. Never for daemon tests: it replaces fetch and its like.
 */

import { transformAsync } from '@babel/core';
import { GlobalRegistrator } from '@happy-dom/global-registrator';
import linguiMacro from '@lingui/babel-plugin-lingui-macro';
import { plugin } from 'bun';

GlobalRegistrator.register({ url: 'http://hub.test/' });

// The library looks for the document as it loads. Its limit of 1 s is too short for a busy machine.
const { configure } = await import('@testing-library/react');
configure({ asyncUtilTimeout: 20_000 });

const macroImport = /from '@lingui\/(?:core|react)\/macro'/;
/** Class names of a style sheet are their own names. */
const classNames = 'export default new Proxy({}, { get: (_, name) => String(name) });';

plugin({
  name: 'console-sources',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, () => ({ contents: classNames, loader: 'js' }));
    build.onLoad({ filter: /\/web\/src\/.*\.tsx?$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const loader = path.endsWith('x') ? ('tsx' as const) : ('ts' as const);
      if (!macroImport.test(source)) return { contents: source, loader };
      const result = await transformAsync(source, {
        filename: path,
        babelrc: false,
        configFile: false,
        parserOpts: { plugins: loader === 'tsx' ? ['typescript', 'jsx'] : ['typescript'] },
        plugins: [linguiMacro],
      });
      return { contents: result?.code ?? source, loader };
    });
  },
});
