// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import Glibc
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// The program: a command line in, an exit status out.
package enum Oppi {
  /// The version of the program.
  package static let version = "0.1.0"

  /// The day of the version, for the manual.
  static let releaseDate = "November 21, 2026"

  /// Runs the process's own command line and returns the status to exit with.
  ///
  /// - Parameters:
  ///   - arguments: The words, the program's name first; `nil` for one that is not UTF-8.
  ///   - environment: The variables.
  /// - Returns: The status.
  package static func main(_ arguments: [String?], environment: [String: String]) -> Int32 {
    ProcessSetup.perform()
    let words = arguments.dropFirst().compactMap(\.self)
    let destination = OutputPolicy.Destination(
      isOutputTerminal: Terminal.isTerminal(STDOUT_FILENO),
      isErrorTerminal: Terminal.isTerminal(STDERR_FILENO),
      width: [STDOUT_FILENO, STDERR_FILENO].lazy.compactMap(Terminal.width).first
    )
    func console(_ options: GlobalOptions) -> Console {
      Console(
        policy: OutputPolicy(
          options: options,
          environment: environment,
          destination: destination
        )
      )
    }
    do {
      if let index = arguments.firstIndex(of: nil) {
        throw OppiError(.badInput, "argument \(index) is not text in UTF-8")
      }
      let invocation = try OppiTable.tool.parse(words)
      guard case .run(let options, _, let work) = invocation else {
        return show(invocation, on: console(GlobalOptions()))
      }
      return run(work, options: options, environment: environment, console: console(options))
    } catch {
      let error = OppiError(error)
      console(OppiTable.tool.globalsIgnoringErrors(words)).report(error)
      return error.code.status.rawValue
    }
  }

  /// Prints what was asked for in place of a command.
  private static func show(
    _ invocation: Invocation<Context, GlobalOptions>,
    on console: Console
  ) -> Int32 {
    var text = "oppi \(version) (protocol 2)"
    if case .help(let path, let form) = invocation {
      let width = min(console.policy.width, 80)
      text = Help.text(for: path, in: OppiTable.tool, form: form, width: width) ?? ""
      if text.hasSuffix("\n") { text.removeLast() }
    }
    do {
      try console.print(text)
      return ExitStatus.success.rawValue
    } catch is ReaderGone {
      return ExitStatus.success.rawValue
    } catch {
      console.report(OppiError(error))
      return ExitStatus.ioFailed.rawValue
    }
  }

  private static func run(
    _ work: @escaping @Sendable (Context) async throws -> Void,
    options: GlobalOptions,
    environment: [String: String],
    console: Console
  ) -> Int32 {
    do {
      let loop = try EventLoop()
      let signals = try SignalWatcher([SIGINT, SIGTERM, SIGHUP], on: loop)
      let context = Context(
        console: console,
        options: options,
        environment: environment,
        paths: XDGPaths(environment: environment, home: ProcessSetup.homeFolder()),
        network: Network(loop: loop, environment: environment)
      )
      return loop.run { await status(of: work, in: context, signals: signals).rawValue }
    } catch {
      console.report(OppiError(.bug, "cannot start: \(error)"))
      return ExitStatus.bug.rawValue
    }
  }

  /// Performs the work until it ends or a signal asks it to; then it gets to clean up.
  private static func status(
    of work: @escaping @Sendable (Context) async throws -> Void,
    in context: Context,
    signals: SignalWatcher
  ) async -> ExitStatus {
    await withTaskGroup(of: ExitStatus?.self) { group in
      group.addTask { await perform(work, in: context) }
      group.addTask {
        let signal = await signals.next()
        return signal.map { $0 == SIGINT ? .interrupted : .terminated }
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

  private static func perform(
    _ work: @Sendable (Context) async throws -> Void,
    in context: Context
  ) async -> ExitStatus {
    do {
      try await work(context)
      return .success
    } catch is ReaderGone {
      return .success
    } catch let status as ReportedStatus {
      return status.status
    } catch {
      let error = OppiError(error)
      // An interrupted command has nothing to explain.
      if error.code != .interrupted { context.console.report(error) }
      return error.code.status
    }
  }
}

/// Ends a command with a status whose reasons were reported already.
struct ReportedStatus: Error {
  var status: ExitStatus
}
