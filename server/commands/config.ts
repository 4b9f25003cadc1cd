import { environmentName, readConfig, settings } from '../config.ts'

export const configCommand = () => {
  readConfig(process.env)
  for (const [name, { default: fallback, description, secret }] of Object.entries(settings)) {
    const variable = environmentName(name as keyof typeof settings)
    const given = process.env[variable]
    const value = given ? (secret ? '(set)' : given) : fallback === '' ? '(empty)' : fallback
    console.log(`${variable}=${value}${given ? '' : '  # default'}\n    ${description}`)
  }
}
