// SPDX-License-Identifier: MIT

package import OppiSystem
package import OppiText
package import OppiTransport

/// The environment of a command: that of flows, the console, the options and the terminal.
@dynamicMemberLookup
package struct Context: Sendable {
  /// The program's name if a command line has none.
  package static let defaultProgramName = "oppi"

  package private(set) var output: Output
  package private(set) var options: GlobalOptions
  /// The program's name on the command line.
  package let programName: String
  /// The environment of the flows that the command calls.
  package private(set) var services: Services
  /// The terminal of the process, for programs that take over its screen.
  package let terminal: any TerminalAccess
  /// Whether standard input is a pipe with unread data.
  package let hasUnreadInput: @Sendable () -> Bool

  /// The defaults are those of the process.
  package init(
    output: Output,
    options: GlobalOptions,
    environment: [String: String],
    programName: String = Context.defaultProgramName,
    paths: XDGPaths,
    network: Network,
    disk: any Disk = SystemDisk(),
    process: ProcessIdentity = .current,
    terminal: any TerminalAccess = ProcessTerminal(),
    desktop: (any DesktopAccess)? = nil,
    programs: (any ProgramAccess)? = nil,
    hasUnreadInput: @escaping @Sendable () -> Bool = Input.isUnreadPipe,
    workingDirectory: (@Sendable () -> WorkingDirectory)? = nil,
    programPath: @escaping @Sendable () -> String = Program.ownPath
  ) {
    self.output = output
    self.options = options
    self.programName = programName
    self.terminal = terminal
    self.hasUnreadInput = hasUnreadInput
    services = Services(
      environment: environment,
      paths: paths,
      network: network,
      files: FileStore(loop: network.loop, disk: disk, process: process),
      programs: programs ?? SystemPrograms(environment: environment),
      desktop: desktop ?? Desktop(environment: environment),
      workingDirectory: workingDirectory ?? { .current(environment: environment) },
      programPath: programPath,
      timeout: options.timeout,
      reporter: output
    )
  }

  /// Forwards to the members of the flows' environment; without a key path at run time.
  @inlinable
  package subscript<Value>(dynamicMember member: KeyPath<Services, Value>) -> Value {
    services[keyPath: member]
  }

  /// The same context with other global options.
  package func with(_ options: GlobalOptions) -> Context {
    var context = with(output.with(options))
    context.options = options
    context.services.timeout = options.timeout
    return context
  }

  /// The same context for a command.
  package func running(_ path: [String]) -> Context {
    var context = self
    context.services.command = path
    return context
  }

  /// The same context, which asks servers although they have refused this device.
  package var askingAgain: Context {
    var context = self
    context.services.asksAgain = true
    return context
  }

  /// The same context with other output streams.
  func with(_ output: Output) -> Context {
    var context = self
    context.output = output
    context.services.reporter = output
    return context
  }

  /// The same context with text output, even if `--json` is given.
  package var inWords: Context {
    var options = options
    options.isJSON = false
    return with(options)
  }

  /// The same context whose output goes to a function as lines, safe to show, and not to the terminal.
  package func sending(to write: @escaping @Sendable (String) -> Void) -> Context {
    with(output.sending(to: write))
  }

  /// The same context with the desktop of the user's login if the environment has none.
  package var ofLogin: Context {
    var context = self
    context.services.desktop = services.desktop.ofLogin
    return context
  }

  /// The same context with all files in one folder, and without oppi's own environment variables.
  package func relocated(to folder: String) -> Context {
    var context = self
    context.services.environment = services.environment.filter {
      !$0.key.hasPrefix("OPPI_") && $0.key != "CREDENTIALS_DIRECTORY"
    }
    context.services.paths = XDGPaths(environment: [:], home: folder)
    return context
  }

  package func now() -> Timestamp { services.now() }

  /// A variable of the environment; `nil` if it is unset or empty.
  package func nonEmpty(_ variable: String) -> String? { services.nonEmpty(variable) }

  /// Whether live views tell the terminal what the program is doing; the Linux console would print
  /// the sequence.
  package var reportsStatus: Bool {
    output.policy.canDraw && nonEmpty("TERM") != "linux" && nonEmpty("OPPI_PROGRAM_STATUS") != "0"
  }
}
