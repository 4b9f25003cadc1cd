import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { errorCodes } from '../../contract/errors.ts'
import { events } from '../../contract/events.ts'
import { Problem } from './problem.ts'

const root = join(import.meta.dirname, '../..')

const file = (name: string) => readFileSync(join(root, 'docs/guides', `${name}.md`), 'utf8')

/** The tour stands in the README, where people look for it first. */
const tour = () => {
  const [, section = ''] = readFileSync(join(root, 'README.md'), 'utf8').split(/^## Five-minute tour$/m)
  return `# First call in five minutes\n${section.split(/^## /m)[0]}`
}

const codes = () =>
  [
    '| Code | Status | Meaning |',
    '|---|---|---|',
    ...Object.entries(errorCodes).map(([code, [status, title]]) => `| \`${code}\` | ${status} | ${title} |`),
  ].join('\n')

interface Schema {
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  examples?: unknown[]
}

const exampleOf = ({ const: only, enum: values, anyOf, examples }: Schema): unknown =>
  examples?.[0] ?? only ?? values?.[0] ?? (anyOf?.[0] ? exampleOf(anyOf[0]) : undefined)

/** Each with its body, as the contract has it. */
const eventTexts = () =>
  Object.entries(events)
    .map(([name, { description, properties }]) => {
      // Where a person may have either ID, it is a guest's.
      const isOfGuest = (field: string) => field === 'userId' && 'externalUserId' in properties
      const fields = Object.entries(properties).map(([field, schema]) => [
        field,
        isOfGuest(field) ? null : exampleOf(schema),
      ])
      const body = JSON.stringify(Object.fromEntries(fields), null, 2)
      return `### ${name}\n\n${description}.\n\n\`\`\`json\n${body}\n\`\`\``
    })
    .join('\n\n')

/** By the last part of its path: the title in the list, and the text. */
const guides: Record<string, { title: string; text: () => string }> = {
  'first-call': { title: 'First call in five minutes', text: tour },
  tokens: { title: 'Tokens', text: () => file('tokens') },
  members: { title: 'Members', text: () => file('members') },
  'guest-links': { title: 'Guest links', text: () => file('guest-links') },
  embedding: { title: 'Embedding', text: () => file('embedding') },
  'live-streams': { title: 'Live streams', text: () => file('live-streams') },
  webhooks: { title: 'Webhooks', text: () => file('webhooks').replace('<!-- events -->', eventTexts) },
  errors: { title: 'Errors', text: () => file('errors').replace('<!-- codes -->', codes) },
  paging: { title: 'Lists', text: () => file('paging') },
  versioning: { title: 'Versions and deprecation', text: () => file('versioning') },
}

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w ]/g, '')
    .replaceAll(' ', '-')

/** Text of our own files, so what it says in HTML stands. */
const render = async (markdown: string) => {
  const { Marked } = await import('marked')
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
      },
    },
  })
  // Files refer to each other so that the links also work where the sources are read.
  const html = await marked.parse(markdown.replaceAll(/\]\(([\w-]+)\.md/g, '](/docs/guides/$1'))
  // A wide table is scrolled by itself, not with the page.
  return html.replaceAll('<table>', '<div class="wide"><table>').replaceAll('</table>', '</table></div>')
}

const style = `
:root { color-scheme: light dark; --line: light-dark(#dee2e6, #424242); --soft: light-dark(#f8f9fa, #2e2e2e); --link: light-dark(#1c6fbd, #74b7f5) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; background: light-dark(#fff, #1f1f1f); color: light-dark(#212529, #e6e6e6) }
a { color: var(--link) }
.page { display: grid; grid-template-columns: 15rem minmax(0, 46rem); gap: 3rem; max-width: 70rem; margin: 0 auto; padding: 2rem 1.5rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li { margin: .35rem 0 }
nav a { text-decoration: none }
nav a:hover { text-decoration: underline }
nav [aria-current] { font-weight: 600; color: inherit }
nav p { font-weight: 600; margin: 0 0 .75rem }
h1 { margin-top: 0; line-height: 1.2 }
h2 { margin-top: 2.5rem; line-height: 1.3 }
pre { padding: 1rem; overflow-x: auto; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; line-height: 1.45 }
code { font-family: ui-monospace, monospace; font-size: .875em }
:not(pre) > code { padding: .1em .3em; background: var(--soft); border-radius: 4px; overflow-wrap: anywhere }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { padding: .45rem .75rem .45rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
@media (max-width: 48rem) { .page { grid-template-columns: minmax(0, 1fr); gap: 1.5rem; padding: 1.25rem 1rem } nav { border-bottom: 1px solid var(--line); padding-bottom: 1rem } }
`

const page = (current: string, content: string) => {
  const entry = (path: string, title: string) =>
    `<li><a href="${path}"${path === `/docs/guides/${current}` ? ' aria-current="page"' : ''}>${title}</a></li>`
  const entries = Object.entries(guides).map(([name, { title }]) => entry(`/docs/guides/${name}`, title))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${guides[current]?.title} – Lectern guides</title>
<link rel="stylesheet" href="/docs/guides.css">
<body>
<div class="page">
<nav aria-label="Guides"><p>Lectern guides</p><ul>${entries.join('')}${entry('/docs', 'API reference')}</ul></nav>
<main>${content}</main>
</div>
</body>
</html>
`
}

const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Texts for integrators beside the reference. Each is made into a page when somebody first opens it. */
export const createGuides = () => {
  const pages = new Map<string, Promise<string>>()
  return {
    first: 'first-call',
    async page(name: string, reply: FastifyReply) {
      const guide = Object.hasOwn(guides, name) ? guides[name] : undefined
      if (!guide) throw new Problem('not_found', 'There is no such guide. See /docs/guides.')
      const made = pages.get(name) ?? render(guide.text()).then(content => page(name, content))
      pages.set(name, made)
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .send(await made)
    },
    style: (reply: FastifyReply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600').send(style),
  }
}
