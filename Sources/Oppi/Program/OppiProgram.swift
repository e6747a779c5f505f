// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
package import OppiClient
import OppiSystem
import OppiText
import OppiTransport
import OppiWire

/// The program: parses a command line, runs it, and returns an exit status.
package enum OppiProgram {
  /// Runs the process's command line.
  ///
  /// - Parameters:
  ///   - arguments: The program's name, and its arguments; `nil` for one that is not UTF-8.
  ///   - environment: The environment variables.
  ///   - commit: The commit that the program was built from; `nil` if it is not known.
  /// - Returns: The exit status.
  package static func main(
    _ arguments: [String?],
    environment: [String: String],
    commit: String?
  ) -> Int32 {
    ProcessSetup.perform()
    let words = arguments.dropFirst().compactMap(\.self)
    let called = arguments.first ?? nil
    let destination = OutputPolicy.Destination.standardStreams
    func policy(_ options: GlobalOptions) -> OutputPolicy {
      OutputPolicy(options: options, environment: environment, destination: destination)
    }
    do {
      if let index = arguments.firstIndex(of: nil) {
        throw OppiError(.badInput, "argument \(index) is not valid UTF-8")
      }
      let globals = OppiTable.tool.globalsIgnoringErrors(words)
      if let order = try order(
        of: words,
        orConsole: !globals.isJSON && opensConsole(policy(globals), environment)
      ) {
        return try run(order, environment, policy(order.options), called).rawValue
      }
      let isJSON = OppiTable.tool.globalsIgnoringErrors(words).isJSON
      try show(versionText(commit: commit, isJSON: isJSON))
      return ExitStatus.success.rawValue
    } catch {
      let policy = policy(OppiTable.tool.globalsIgnoringErrors(words))
      let failure = OppiError(error, pairedWith: servers(environment))
      let text = overview(for: error, policy, environment) ?? policy.text(of: failure) + "\n"
      try? OutputStream(.errors).writeBlocking(Array(text.utf8))
      return failure.code.status.rawValue
    }
  }

  /// Whether the program without a command opens the console: on a terminal with a paired server.
  private static func opensConsole(
    _ policy: OutputPolicy,
    _ environment: [String: String]
  ) -> Bool {
    policy.destination.isConversation && servers(environment)?.isEmpty == false
  }

  private typealias Order = (options: GlobalOptions, path: [String], work: Command.Work)

  /// What a command line asks for; without a command, the console if that opens.
  private static func order(
    of words: [String],
    orConsole opens: @autoclosure () -> Bool
  ) throws(UsageError) -> Order? {
    do throws(UsageError) {
      return try order(of: words)
    } catch {
      guard case .missingSubcommand(_, choices: []) = error.kind, opens() else { throw error }
      return try order(of: words + ["console"])
    }
  }

  /// What a command line asks for; `nil` for the version.
  private static func order(of words: [String]) throws(UsageError) -> Order? {
    switch try OppiTable.tool.parse(words) {
    case .version: return nil
    case .help(let path, let form):
      var options = OppiTable.tool.globalsIgnoringErrors(words)
      options.isJSON = false
      return (options, path, { try HelpCommand.report(on: path, form: form, in: $0) })
    case .run(let options, let path, let work): return (options, path, work)
    }
  }

  /// The short help, for a command line without a command.
  private static func overview(
    for error: any Error,
    _ policy: OutputPolicy,
    _ environment: [String: String]
  ) -> String? {
    guard policy.form != .json, let error = error as? UsageError,
      case .missingSubcommand(_, choices: []) = error.kind,
      let help = Help.text(for: [], in: OppiTable.tool, form: .short, width: policy.width)
    else { return nil }
    guard servers(environment)?.isEmpty == true else { return help }
    let steps = "\(firstSteps)\n"
    return policy.destination.isConversation ? steps : "\(help)\n\(steps)"
  }

  private static let firstSteps = """
    No server is paired yet. Try oppi without a server: oppi demo
    Pair with a server: oppi pair -
    List the commands: oppi --help
    """

  /// The paired servers; `nil` if they cannot be determined.
  private static func servers(_ environment: [String: String]) -> [PairedServer]? {
    do {
      let paths = XDGPaths(environment: environment, home: ProcessSetup.homeFolder())
      return try ServerStore(paths: paths, files: FileStore(loop: try EventLoop())).load().servers
    } catch {
      return nil
    }
  }

  /// The last path component of the first word; the default name if a shell could not complete it.
  static func programName(_ word: String?) -> String {
    let name = word?.split(separator: "/").last.map(String.init) ?? ""
    let isPlain = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._+-".utf8.contains($0) }
    return isPlain && !name.isEmpty && !name.hasPrefix("-") ? name : Context.defaultProgramName
  }

  /// Prints the version; works without a loop.
  private static func show(_ text: String) throws {
    do throws(OutputStream.Failure) {
      try OutputStream(.output).writeBlocking(Array(text.utf8))
    } catch {
      if error != .readerClosed { throw error }
    }
  }

  private static func run(
    _ order: Order,
    _ environment: [String: String],
    _ policy: OutputPolicy,
    _ called: String?
  ) throws -> ExitStatus {
    let loop = try EventLoop()
    let signals = try EndSignals(on: loop)
    let context = Context(
      output: Output(policy: policy, on: loop, write: Output.standardStreams(on: loop)),
      options: order.options,
      environment: environment,
      programName: programName(called),
      paths: XDGPaths(environment: environment, home: ProcessSetup.homeFolder()),
      network: Network(loop: loop, environment: environment),
      programPath: { Program.path(calledAs: called, environment: environment) }
    )
    return loop.run {
      await status(of: order.work, in: context.running(order.path), signals: signals)
    }
  }

  /// Runs a command line in the given context, and returns the exit status.
  package static func run(_ words: [String], in context: Context) async -> Int32 {
    do {
      guard let order = try order(of: words) else { return ExitStatus.success.rawValue }
      let context = context.with(order.options).running(order.path)
      return await perform(order.work, in: context).rawValue
    } catch {
      let error = OppiError(error, pairedWith: try? context.serverStore.load().servers)
      await context.output.report(error)
      return error.code.status.rawValue
    }
  }

  /// Runs the work until it ends; a signal cancels it and waits for its cleanup.
  private static func status(
    of work: @escaping Command.Work,
    in context: Context,
    signals: EndSignals
  ) async -> ExitStatus {
    await withTaskGroup(of: ExitStatus?.self) { group in
      group.addTask { await perform(work, in: context) }
      group.addTask {
        switch await signals.next() {
        case .interrupt?: return .interrupted
        case .terminate?:
          context.systemEnding.ask()
          return .terminated
        case nil: return nil
        }
      }
      var signalled: ExitStatus?
      for await status in group {
        guard let status else { continue }
        let isSignal = status == .interrupted || status == .terminated
        group.cancelAll()
        guard isSignal, signalled == nil else {
          return signalled ?? status
        }
        signalled = status
      }
      return signalled ?? .success
    }
  }

  /// Runs the work, prints its report, and returns the exit status.
  static func perform(_ work: Command.Work, in context: Context) async -> ExitStatus {
    do {
      let result = await Result(catching: { try await work(context) })
      await context.services.reportFileFaults()
      let report = try result.get()
      if await !context.page(report) { try await context.print(report) }
      if let failure = report.failure { throw failure }
      return report.ending
    } catch is OutputClosed {
      return .success
    } catch {
      let error = OppiError(error)
      if error.isWorthReporting { await context.output.report(error) }
      return error.code.status
    }
  }
}

extension OppiProgram {
  static let version = "0.1.0"

  /// The date of the version, for the manual.
  static let releaseDate = "November 21, 2026"

  /// Describes the program: version, commit and supported dialects.
  ///
  /// - Parameters:
  ///   - commit: The commit that the program was built from; `nil` if it is not known.
  ///   - isJSON: Whether the text is a JSON document.
  /// - Returns: The text.
  static func versionText(commit: String?, isJSON: Bool) -> String {
    let dialects = Dialect.named.reversed().map(\.name)
    guard !isJSON else {
      let document: JSONValue = [
        "version": .string(version), "commit": commit.map(JSONValue.string) ?? .null,
        "dialects": .array(dialects.map(JSONValue.string)),
      ]
      return document.text() + "\n"
    }
    return """
      oppi \(version)
      commit: \(commit ?? "unknown")
      dialects: \(dialects.joined(separator: ", "))

      """
  }
}
