import type { Command } from 'commander'

/** A command, or a command of a command, by the words that lead to it. */
interface Place {
  path: string[]
  description: string
  commands: { name: string; description: string }[]
  /** What an argument can be, where that is a list. */
  values: string[]
  options: { flag: string; description: string }[]
}

const placesOf = (command: Command, path: string[] = []): Place[] => [
  {
    path,
    description: command.description(),
    commands: command.commands.map(each => ({ name: each.name(), description: each.description() })),
    values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    options: [...command.options.map(({ long, description }) => ({ flag: long ?? '', description })), help],
  },
  ...command.commands.flatMap(each => placesOf(each, [...path, each.name()])),
]
const help = { flag: '--help', description: 'display help' }

/** The commands whose arguments are files. */
const ofFiles = ['copy', 'backup', 'restore']

const wordsOf = ({ commands, values, options }: Place) =>
  [...commands.map(({ name }) => name), ...values, ...options.map(({ flag }) => flag)].join(' ')
/** As the scripts remember where they are: each word with a space before it. */
const keyOf = (path: string[]) => path.map(word => ` ${word}`).join('')
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const bash = (places: Place[]) => `_lectern() {
  local current=\${COMP_WORDS[COMP_CWORD]} place='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $word" in
      ${places.flatMap(({ path }) => (path.length > 0 ? [quoted(keyOf(path))] : [])).join('|')}) place="$place $word" ;;
    esac
  done
  case "$place" in
${places.map(place => `    ${quoted(keyOf(place.path))}) words=${quoted(wordsOf(place))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _lectern lectern`

const zsh = (places: Place[]) => `#compdef lectern
_lectern() {
  local place='' word
  for word in \${words[2,CURRENT-1]}; do
    case "$place $word" in
      ${places.flatMap(({ path }) => (path.length > 0 ? [quoted(keyOf(path))] : [])).join('|')}) place="$place $word" ;;
    esac
  done
  case "$place" in
${places.map(place => `    ${quoted(keyOf(place.path))}) compadd -- ${wordsOf(place)} ;;`).join('\n')}
  esac
  case "$place" in
    ${ofFiles.map(name => quoted(keyOf([name]))).join('|')}) [[ $PREFIX == -* ]] || _files ;;
  esac
}
compdef _lectern lectern`

const fish = (places: Place[]) => {
  const isThere = ({ path, commands }: Place) => {
    if (path.length === 0) return '__fish_use_subcommand'
    const seen = path.map(word => `__fish_seen_subcommand_from ${word}`)
    const others = commands.map(({ name }) => name).join(' ')
    return [...seen, ...(others ? [`not __fish_seen_subcommand_from ${others}`] : [])].join('; and ')
  }
  return [
    'complete -c lectern -f',
    ...places.flatMap(place => [
      ...place.commands.map(
        ({ name, description }) =>
          `complete -c lectern -n ${quoted(isThere(place))} -a ${name} -d ${quoted(description)}`,
      ),
      ...place.values.map(value => `complete -c lectern -n ${quoted(isThere(place))} -a ${value}`),
      ...place.options.map(
        ({ flag, description }) =>
          `complete -c lectern -n ${quoted(isThere(place))} -l ${flag.slice(2)} -d ${quoted(description)}`,
      ),
    ]),
    `complete -c lectern -n '__fish_seen_subcommand_from ${ofFiles.join(' ')}' -F`,
  ].join('\n')
}

const shells = { bash, zsh, fish }
export const shellNames = Object.keys(shells)

/** What completes the words of the program in a shell: made of the commands themselves. */
export const completionCommand = (program: Command, shell: string) =>
  console.log(shells[shell as keyof typeof shells](placesOf(program)))
