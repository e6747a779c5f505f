// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// The program: parses a command line, runs it, and returns an exit status.
package enum Oppi {
  /// The default name of the program.
  package static let name = "oppi"

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
    let destination = OutputPolicy.Destination.standardStreams
    func policy(_ options: GlobalOptions) -> OutputPolicy {
      OutputPolicy(options: options, environment: environment, destination: destination)
    }
    do {
      if let index = arguments.firstIndex(of: nil) {
        throw OppiError.argumentNotUTF8(index)
      }
      switch try OppiTable.tool.parse(words) {
      case .version: try show(versionText(commit: commit))
      case .help(let path, let form):
        let width = policy(GlobalOptions()).width
        try show(Help.text(for: path, in: OppiTable.tool, form: form, width: width) ?? "")
      case .run(let options, let path, let work):
        let called = arguments.first ?? nil
        return try run(work, at: path, options: options, environment, policy(options), called)
          .rawValue
      }
      return ExitStatus.success.rawValue
    } catch {
      let policy = policy(OppiTable.tool.globalsIgnoringErrors(words))
      let text =
        overview(for: error, policy, environment) ?? policy.text(of: OppiError(error)) + "\n"
      try? OutputStream(.errors).writeBlocking(Array(text.utf8))
      return OppiError(error).code.status.rawValue
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
    return isUnpaired(environment) ? "\(help)\n\(firstSteps)\n" : help
  }

  private static let firstSteps = """
    No server is paired yet. Try oppi without a server: oppi demo
    Pair with a server: oppi pair -
    """

  /// Whether no server is paired; false if that cannot be determined.
  private static func isUnpaired(_ environment: [String: String]) -> Bool {
    do {
      let paths = XDGPaths(environment: environment, home: ProcessSetup.homeFolder())
      let store = ServerStore(paths: paths, files: FileStore(loop: try EventLoop()))
      return try store.load().servers.isEmpty
    } catch {
      return false
    }
  }

  /// The last path component of the first word; the default name if a shell could not complete it.
  static func programName(_ word: String?) -> String {
    let name = word?.split(separator: "/").last.map(String.init) ?? ""
    let isPlain = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._+-".utf8.contains($0) }
    return isPlain && !name.isEmpty && !name.hasPrefix("-") ? name : self.name
  }

  /// Prints help or the version; works without a loop.
  private static func show(_ text: String) throws {
    do throws(OutputStream.Failure) {
      try OutputStream(.output).writeBlocking(Array(text.utf8))
    } catch {
      if error != .readerGone { throw error }
    }
  }

  private static func run(
    _ work: @escaping Command.Work,
    at path: [String],
    options: GlobalOptions,
    _ environment: [String: String],
    _ policy: OutputPolicy,
    _ called: String?
  ) throws -> ExitStatus {
    let loop = try EventLoop()
    let signals = try EndSignals(on: loop)
    let context = Context(
      console: Console(policy: policy, on: loop, write: Console.standardStreams(on: loop)),
      options: options,
      environment: environment,
      programName: programName(called),
      paths: XDGPaths(environment: environment, home: ProcessSetup.homeFolder()),
      network: Network(loop: loop, environment: environment),
      programPath: { Program.path(calledAs: called, environment: environment) }
    )
    return loop.run { await status(of: work, in: context.running(path), signals: signals) }
  }

  /// Runs a command line in the given context, and returns the exit status.
  package static func run(_ words: [String], in context: Context) async -> Int32 {
    do {
      switch try OppiTable.tool.parse(words) {
      case .version, .help: return ExitStatus.success.rawValue
      case .run(let options, let path, let work):
        return await perform(work, in: context.with(options).running(path)).rawValue
      }
    } catch {
      let error = OppiError(error)
      await context.console.report(error)
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
      let report = try await work(context)
      try await context.console.print(report)
      if let failure = report.failure { throw failure }
      return report.ending
    } catch is ReaderGone {
      return .success
    } catch {
      let error = OppiError(error)
      if error.isWorthTelling { await context.console.report(error) }
      return error.code.status
    }
  }
}
