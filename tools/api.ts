// Writes the reports of API Extractor on what each entry of dist declares. Those of today are in the folder api;
// `npm run api:keep VERSION` writes into a folder below what a version declares, with which later versions are compared.
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { reports } from './api-reports.ts';

const root = dirname(import.meta.dirname);

/** Writes all reports into a folder. One program holds what all entries declare, so that it is read once. */
function writeReports(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const entries = [...reports()].map(([name, types]) => ({ types, config: configOf(folder, name, types) }));
  const [first] = entries;
  if (!first) throw new Error('package.json exports nothing with types');
  const additionalEntryPoints = entries.map(({ types }) => join(root, types));
  const compilerState = CompilerState.create(first.config, { additionalEntryPoints });
  for (const { types, config } of entries) {
    // It says on standard output that a report has changed: git says that, too.
    const { succeeded } = Extractor.invoke(config, {
      compilerState,
      localBuild: true,
      messageCallback: (message) => (message.handled = true),
    });
    if (!succeeded) throw new Error(`API Extractor could not read ${types}`);
  }
}

function configOf(folder: string, reportFileName: string, types: string): ExtractorConfig {
  const none = { default: { logLevel: ExtractorLogLevel.None } };
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, types),
      compiler: {
        overrideTsconfig: {
          extends: join(root, 'tsconfig.json'),
          files: [join(root, types)],
          include: [],
          // The declarations do not need those of Node, which are as long as all others together.
          compilerOptions: { types: [] },
        },
      },
      apiReport: {
        enabled: true,
        // The types behind the exported ones are nearly all behind the main entry too: there they are reported once.
        includeForgottenExports: reportFileName === 'index.api.md',
        reportFileName,
        reportFolder: folder,
        reportTempFolder: folder,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: none,
        tsdocMessageReporting: none,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  });
}

writeReports(resolve(root, 'api', process.argv[2] ?? ''));
