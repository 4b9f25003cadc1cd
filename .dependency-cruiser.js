/* The folder is the layer: which may know which. Run by `npm run check`; imports for types alone count, too. */

/** All that is ours; anything else is a package or Node's own. */
const ours = '^(contract|server|client|web|test|bench)/'
const buildsClient = '^client/build\\.ts$'
const pages = '^web/(room|console|ui|messages)/'

/** @type {import('dependency-cruiser').IConfiguration['forbidden']} */
const forbidden = [
  {
    name: 'no-cycles',
    comment: 'No file needs itself, round any number of corners, not even for a type.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'found',
    comment: 'What is imported is there.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'shipped',
    comment: 'Whatever the product loads is a dependency of the product.',
    from: { pathNot: buildsClient },
    to: { path: 'node_modules', dependencyTypesNot: ['npm', 'type-only'] },
  },
  {
    name: 'contract',
    comment: 'The contract knows typebox and itself.',
    from: { path: '^contract/' },
    to: { pathNot: ['^contract/', '^node_modules/typebox/'] },
  },
  {
    name: 'client',
    comment: 'The client knows the contract and itself, and runs in a browser.',
    from: { path: '^client/', pathNot: buildsClient },
    to: { pathNot: '^(contract|client)/', dependencyTypesNot: ['core'] },
  },
  {
    name: 'client-in-browser',
    comment: 'Receivers of webhooks are servers: checking a signature is theirs alone.',
    from: { path: '^client/', pathNot: ['^client/webhooks\\.ts$', buildsClient] },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'server',
    comment: 'The server knows the contract and itself: no pages, no tests.',
    from: { path: '^server/' },
    to: { path: ours, pathNot: '^(contract|server)/' },
  },
  {
    name: 'storage',
    comment: 'Only the store knows how things are stored; nodes meet on a connection of their own.',
    from: { pathNot: '^server/(store/|cluster/nodes\\.ts$)' },
    to: { path: '^node_modules/(@types/)?(kysely|better-sqlite3|pg)/' },
  },
  {
    name: 'engine',
    comment: 'Only one file knows the media engine’s library.',
    from: { pathNot: '^server/media/livekit\\.ts$' },
    to: { path: '^node_modules/livekit-server-sdk/' },
  },
  {
    name: 'live',
    comment: 'Calls are behind one object.',
    from: { pathNot: '^server/live/' },
    to: { path: '^server/live/', pathNot: '^server/live/live\\.ts$' },
  },
  {
    name: 'pure-rules',
    comment: 'The rules are pure: they load nothing.',
    from: { path: '^server/rules\\.ts$' },
    to: { dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'below-http',
    comment: 'The store and the rules know nothing of HTTP.',
    from: { path: '^server/(store/|rules\\.ts$)' },
    to: {
      path: ['^node_modules/fastify/', '^server/(http|routes|commands|delivery|live)/', '^server/(start|main)\\.ts$'],
    },
  },
  {
    name: 'web',
    comment: 'The pages know the contract and the client.',
    from: { path: '^web/' },
    to: { path: ours, pathNot: '^(contract|client|web)/' },
  },
  {
    name: 'web-contract',
    comment: 'Of the contract the pages know the types, and lists of names: its schemas stay out of the browser.',
    from: { path: pages },
    to: { path: '^contract/', pathNot: '^contract/(actions|scopes)\\.ts$', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'web-in-browser',
    comment: 'The pages run in a browser.',
    from: { path: pages },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'room-and-console',
    comment: 'A guest loads the room alone: room and console do not know each other.',
    from: { path: '^web/(room|console)/' },
    to: { path: '^web/(room|console)/', pathNot: '^web/$1/' },
  },
  {
    name: 'ui',
    comment: 'What both pages use knows neither of them.',
    from: { path: '^web/(ui|messages)/' },
    to: { path: '^web/(room|console)/' },
  },
]

/** One import of each kind that is known to be there, so that nothing passes because nothing was seen. */
const required = [
  ['import', '^server/http/app\\.ts$', '^server/http/gate\\.ts$'],
  ['type', '^server/rules\\.ts$', '^contract/errors\\.ts$'],
  ['dynamic', '^web/room/App\\.tsx$', '^web/room/live/Live\\.tsx$'],
].map(([kind, path, to]) => ({ name: `sees-${kind}`, module: { path }, to: { path: to } }))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: forbidden.map(rule => ({ severity: 'error', ...rule })),
  required: required.map(rule => ({ severity: 'error', ...rule })),
  options: {
    // Reads types and JSX, as TypeScript’s own compiler no longer can from outside.
    parser: 'swc',
    moduleSystems: ['es6'],
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(web|client)/dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
