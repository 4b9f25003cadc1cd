import { environmentName, readConfig, settings } from '../config.ts'
import { print } from './output.ts'

export const configCommand = () => {
  readConfig(process.env)
  const shown = Object.entries(settings).map(([name, { default: fallback, description, secret }]) => {
    const variable = environmentName(name as keyof typeof settings)
    const given = process.env[variable]
    const value = given ? (secret ? '(set)' : given) : fallback
    return { name: variable, value, isDefault: !given, description }
  })
  print(
    shown,
    ...shown.map(
      ({ name, value, isDefault, description }) =>
        `${name}=${value === '' ? '(empty)' : value}${isDefault ? '  # default' : ''}\n    ${description}`,
    ),
  )
}
