import { type ExecFileException, execFile } from 'node:child_process'

/** What a program prints. Fails with all it has said, if the program does. */
export const runProgram = (program: string, args: string[], cwd: string, environment: Record<string, string>) =>
  new Promise<string>((succeed, fail) => {
    const env = { ...process.env, ...environment }
    execFile(program, args, { cwd, env }, (error: ExecFileException | null, stdout, stderr) =>
      error ? fail(new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`)) : succeed(stdout),
    )
  })
