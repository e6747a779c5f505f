// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
package import OppiSystem
import OppiTerminal
package import OppiTransport

/// The environment of a command: that of flows, the console, the options and the terminal.
@dynamicMemberLookup
package struct Context: Sendable {
  private(set) var output: Output
  private(set) var options: GlobalOptions
  /// The program's name on the command line.
  let programName: String
  /// The environment of the flows that the command calls.
  private(set) var intents: IntentContext
  /// The terminal of the process, for programs that take over its screen.
  let terminal: any TerminalAccess
  /// Whether standard input is a pipe with unread data.
  let hasUnreadInput: @Sendable () -> Bool

  /// The defaults are those of the process.
  package init(
    output: Output,
    options: GlobalOptions,
    environment: [String: String],
    programName: String = OppiProgram.name,
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
    intents = IntentContext(
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

  /// Forwards to the members of the flows' environment.
  package subscript<Value>(dynamicMember member: KeyPath<IntentContext, Value>) -> Value {
    intents[keyPath: member]
  }

  /// The same context with other global options.
  func with(_ options: GlobalOptions) -> Context {
    var context = with(output.with(options))
    context.options = options
    context.intents.timeout = options.timeout
    return context
  }

  /// The same context for a command.
  func running(_ path: [String]) -> Context {
    var context = self
    context.intents.surface = path.joined(separator: " ")
    return context
  }

  /// The same context, which asks servers although they have refused this device.
  var askingAgain: Context {
    var context = self
    context.intents.asksAgain = true
    return context
  }

  /// The same context with other output streams.
  func with(_ output: Output) -> Context {
    var context = self
    context.output = output
    context.intents.reporter = output
    return context
  }

  /// The same context with text output, even if `--json` is given.
  var inWords: Context {
    var options = options
    options.isJSON = false
    return with(options)
  }

  /// The same context whose output goes to a function as lines, safe to show, and not to the terminal.
  func sending(to write: @escaping @Sendable (String) -> Void) -> Context {
    with(output.sending(to: write))
  }

  /// The same context with the desktop of the user's login if the environment has none.
  var ofLogin: Context {
    var context = self
    context.intents.desktop = intents.desktop.ofLogin
    return context
  }

  /// The same context with all files in one folder, and without oppi's own environment variables.
  func relocated(to folder: String) -> Context {
    var context = self
    context.intents.environment = intents.environment.filter {
      !$0.key.hasPrefix("OPPI_") && $0.key != "CREDENTIALS_DIRECTORY"
    }
    context.intents.paths = XDGPaths(environment: [:], home: folder)
    return context
  }

  func now() -> Timestamp { intents.now() }

  /// A variable of the environment; `nil` if it is unset or empty.
  func nonEmpty(_ variable: String) -> String? { intents.nonEmpty(variable) }

  /// Whether live views tell the terminal what the program is doing; the Linux console would print
  /// the sequence.
  var reportsStatus: Bool {
    output.policy.canDraw && nonEmpty("TERM") != "linux" && nonEmpty("OPPI_PROGRAM_STATUS") != "0"
  }

  /// The paired servers of the command: all, or the one selected by `--server` or `OPPI_SERVER`.
  func servers() throws -> [PairedServer] {
    let all = try intents.serverStore.load().servers
    guard let name = serverChoice else { return all }
    do {
      return [try all.named(name)]
    } catch {
      throw error.tracing(
        options.server == nil ? .variable(Self.serverVariable) : .option("--server")
      )
    }
  }

  /// The same, or one of them; throws if there is none.
  func pairedServers(named name: String? = nil) throws -> [PairedServer] {
    let servers = try servers()
    guard !servers.isEmpty else { throw OppiError.notPaired }
    return try name.map { [try servers.named($0)] } ?? servers
  }

  /// The name of the selected server; `nil` for all.
  var serverChoice: String? { options.server ?? nonEmpty(Self.serverVariable) }

  private static let serverVariable = "OPPI_SERVER"

  func fleet() throws -> Fleet { fleet(of: try servers()) }

  /// The server of a named workspace, or all servers without a name.
  ///
  /// - Throws: If no server is paired, or the workspace does not exist.
  func fleet(
    inWorkspace word: String?
  ) async throws -> (fleet: Fleet, workspace: ServerWorkspace?) {
    let servers = try pairedServers()
    let workspace = try await workspace(named: word)
    return (fleet(of: workspace.map { [$0.server] } ?? servers), workspace)
  }

  /// A fleet that shows on a terminal for which servers the command waits; not for screens.
  func fleet(of servers: [PairedServer], within limit: Duration? = nil) -> Fleet {
    var fleet = intents.fleet(of: servers, within: limit)
    fleet.waiting = output.waiting
    return fleet
  }

  /// A query that shows the same.
  var workspaceQuery: WorkspaceQuery {
    var query = intents.workspaceQuery
    query.waiting = output.waiting
    return query
  }

  /// A resolver for workspaces on the command's servers.
  func workspaces() throws -> WorkspaceResolver {
    WorkspaceResolver(
      servers: try servers(),
      query: workspaceQuery,
      limit: intents.answerLimit
    )
  }

  /// The workspace of `--workspace`; `nil` without that option.
  func workspace(named word: String?) async throws -> ServerWorkspace? {
    guard let word else { return nil }
    do {
      return try await workspaces().resolve(word)
    } catch {
      throw OppiError(error).tracing(.option("--workspace"))
    }
  }

  /// The workspace of a name that is to be saved; an unknown one is an error, but an unreachable
  /// server only a warning.
  func workspace(
    toSave word: String?,
    from source: ValueSource? = .option("--workspace")
  ) async throws -> ServerWorkspace? {
    guard let word else { return nil }
    do {
      return try await workspaces().resolve(word)
    } catch {
      let error = OppiError(error)
      guard [.serverUnreachable, .timedOut, .serverError].contains(error.code) else {
        throw source.map(error.tracing) ?? error
      }
      await output.warn("could not check the workspace: \(error.message)")
      return nil
    }
  }

  /// A resolver for sessions on the command's servers.
  func sessions() throws -> SessionResolver {
    SessionResolver(try fleet(), in: intents)
  }

  func session(named name: SessionName) async throws -> ServerSession {
    try await sessions().resolve(name.text)
  }
}

extension Context {
  /// A flow that opens a session on any paired server.
  func openNewSession() throws -> OpenNewSession {
    OpenNewSession(servers: try intents.serverStore.load().servers, context: intents)
  }
}

extension Context {
  /// The line that names a session, its workspace and its server.
  func introduction(of session: ServerSession) async -> StyledText {
    var name = session.workspaceName
    if name == nil, let id = session.workspaceID {
      name =
        await intents.cache.load()[session.server.id]?.workspaces.first { $0.id == id }?.name ?? id
    }
    let workspace = name.map { " in \($0.safeLine(limit: 120))" } ?? ""
    return StyledText("Session \(session.id)\(workspace) on \(session.server.name)")
  }
}
