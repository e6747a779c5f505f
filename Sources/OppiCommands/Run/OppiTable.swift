// SPDX-License-Identifier: MIT

package import CommandTable
import OppiSystem

/// The headings of the list of commands, in their order.
enum Group {
  static let asking = "Asking"
  static let watching = "Watching and steering"
  static let triggers = "Triggers"
  static let servers = "Servers"
  static let setup = "Setup and help"

  static let all = [asking, watching, triggers, servers, setup]
}

/// A row of the table whose work ends with a report.
package typealias Command = CommandSpec<Context, Report>

/// The one table of commands; a new command is a file and a row here.
package enum OppiTable {
  package static let commands: [Command] = [
    Ask.command,
    History.command,
    New.command,
    Launch.command,
    Chat.command,
    Sessions.command,
    Search.command,
    Approvals.command,
    Approve.command,
    Deny.command,
    Answer.command,
    Watch.command,
    Follow.command,
    Status.command,
    Show.command,
    Stop.command,
    Run.command,
    Shortcuts.command,
    Schedules.command,
    Pick.command,
    Outbox.command,
    Examples.command,
    Workspaces.command,
    Models.command,
    Pair.command,
    Servers.command,
    Config.command,
    Setup.command,
    Doctor.command,
    Completions.command,
    HelpCommand.command,
    Demo.command,
    Complete.command,
    DoctorThere.command,
  ]

  package static let tool = CommandLineTool<Context, Report, GlobalOptions>(
    name: Oppi.name,
    version: Oppi.version,
    summary: "Fire prompts at coding agents on your own servers",
    discussion: """
      oppi hands prompts to coding-agent workspaces on the Oppi servers that you have paired with, \
      from a terminal, cron, systemd, a hotkey or a script, and tells by its exit status what \
      became of them.

      Standard output is the answer and nothing else; everything else goes to standard error. No \
      command reads standard input unless the command line says so with - , or the shortcut that it \
      runs; and every step on the network has a deadline.
      """,
    globals: GlobalOptions(),
    globalArguments: GlobalOptions.arguments,
    commands: commands,
    groups: Group.all,
    topics: Topics.all,
    exitStatuses: ExitStatus.allCases.map { ExitStatusRow($0.rawValue, $0.meaning) },
    files: Topics.files,
    environment: Topics.environment
  )
}
