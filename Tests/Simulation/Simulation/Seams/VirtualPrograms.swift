// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiSystem
import Synchronization

/// The other programs of a world; the test defines what each program does.
///
/// Programs without a path are in `/bin`.
package final class VirtualPrograms: ProgramAccess {
  package typealias Act = @Sendable (ChildProcess) async -> ChildProcess.Outcome

  private struct State {
    var acts: [String: Act] = [:]
    var runs: [ChildProcess] = []
    var detached: [[String]] = []
  }

  private let state = Mutex(State())

  package init() {}

  package func put(_ name: String, _ act: @escaping Act) {
    state.withLock { $0.acts[name] = act }
  }

  /// Installs a program that prints the texts in turn, and then repeats the last text.
  package func put(_ name: String, printing texts: String...) {
    let rest = Mutex(texts[...])
    put(name) { _ in
      let text = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? "" }
      return ChildProcess.Outcome(output: Array(text.utf8), status: 0)
    }
  }

  package func remove(_ name: String) {
    state.withLock { $0.acts[name] = nil }
  }

  /// The programs that were run, in order.
  package var runs: [ChildProcess] { state.withLock(\.runs) }

  /// The command lines that were started detached, in order.
  package var detached: [[String]] { state.withLock(\.detached) }

  // MARK: - For programs

  package func has(_ name: String) -> Bool { state.withLock { $0.acts[name] != nil } }

  package func has(_ name: String, path: String) -> Bool {
    (name.contains("/") || path.split(separator: ":").contains("/bin")) && has(name)
  }

  package func run(
    _ program: ChildProcess,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(ChildProcess.Failure) -> ChildProcess.Outcome {
    let act = state.withLock { state in
      state.runs.append(program)
      return state.acts[program.arguments[0]]
    }
    guard let act else { throw .cannotStart(SystemError("posix_spawn", code: 2)) }
    let ended = await withTaskGroup(of: ChildProcess.Outcome?.self) { group in
      group.addTask { await act(program) }
      group.addTask {
        try? await loop.sleep(until: deadline)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    guard !Task.isCancelled else { throw .cancelled }
    guard let ended, loop.now < deadline else { throw .timedOut }
    return try program.collected(from: ended)
  }

  package func startDetached(_ arguments: [String]) throws(SystemError) {
    guard has(arguments[0]) else { throw SystemError("posix_spawn", code: 2) }
    state.withLock { $0.detached.append(arguments) }
  }
}

extension ChildProcess {
  /// Returns the part of the output that the caller collects.
  fileprivate func collected(from said: Outcome) throws(Failure) -> Outcome {
    let outcome = Outcome(
      output: output == .discarded ? [] : said.output,
      errors: errors == .collected ? said.errors : [],
      status: said.status
    )
    guard max(outcome.output.count, outcome.errors.count) <= outputLimit else {
      throw .tooMuchOutput
    }
    return outcome
  }
}
