// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc

/// Another program, run to its end.
package struct ChildProcess: Sendable {
  /// The program and its arguments; a name without a slash is searched on `PATH`.
  package var arguments: [String]
  package var input: [UInt8] = []
  /// Whether it reads this program's standard input, a terminal that is lent to it.
  package var inheritsInput = false
  /// In bytes; more output is an error.
  package var outputLimit = 1 << 20
  /// An inherited output is a terminal that is lent to the program.
  package var output = Destination.collected
  package var errors = Destination.inherited
  /// All environment variables; `nil` for those of this program.
  package var environment: [String: String]?
  /// The folder in which the program starts; `nil` for that of this program.
  ///
  /// If it does not exist, the exit status is not 0.
  package var folder: String?
  /// Whether the program stays in this program's process group, as it must to read keys from the
  /// terminal: after the deadline or a cancellation it is first asked to exit, so that it can
  /// restore the terminal.
  package var takesTerminal = false

  package enum Destination: Sendable {
    /// This program's own stream.
    case inherited
    case discarded
    /// In the outcome.
    case collected
  }

  /// The time for a program that waits for the user.
  static let noLimit = Duration.seconds(365 * 86_400)

  package init(arguments: [String]) {
    self.arguments = arguments
  }

  package struct Outcome: Sendable {
    package var output: [UInt8]
    /// The standard error, if collected.
    package var errors: [UInt8]
    /// The exit status, or 128 plus the signal number.
    package var status: Int32

    package init(output: [UInt8] = [], errors: [UInt8] = [], status: Int32) {
      (self.output, self.errors, self.status) = (output, errors, status)
    }
  }

  package enum Failure: Error, Equatable {
    case cannotStart(SystemError)
    case timedOut
    case tooMuchOutput
    case cancelled
  }

  /// Runs the program with its input and collects its output until it exits; does not wait for its
  /// children that keep the output open.
  ///
  /// After the deadline or a cancellation, the program and its children are killed.
  package func run(
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(Failure) -> Outcome {
    let loan =
      output == .inherited
      ? TerminalLoan(descriptor: inheritsInput ? STDIN_FILENO : STDOUT_FILENO) : nil
    var wasCutOff = false
    defer { loan?.end(wasCutOff: wasCutOff) }
    var streams: ChildStreams
    let child: RunningChild
    do {
      streams = try ChildStreams(of: self)
      child = RunningChild(id: try spawn(streams))
    } catch {
      throw .cannotStart(error)
    }
    streams.leaveToChild()
    do throws(Failure) {
      try await streams.run(on: loop, until: deadline, or: try end(of: child))
      let status = child.reap()
      return Outcome(output: streams.output.bytes, errors: streams.errors.bytes, status: status)
    } catch {
      wasCutOff = true
      if takesTerminal { await child.askToEnd(on: loop) }
      kill(takesTerminal ? child.id : -child.id, SIGKILL)
      _ = child.reap()
      throw error
    }
  }

  private func end(of child: RunningChild) throws(Failure) -> ProcessEnd {
    do {
      return try ProcessEnd(of: child)
    } catch {
      throw .cannotStart(error)
    }
  }

  private func spawn(_ streams: ChildStreams) throws(SystemError) -> pid_t {
    // If SIGCHLD is ignored at the start of this program, the kernel discards the exit status.
    signal(SIGCHLD, SIG_DFL)
    // A process group of its own can be killed as a whole.
    let flags = takesTerminal ? 0 : POSIX_SPAWN_SETPGROUP
    return try Program.spawn(startedWords, environment: environment, flags: flags) { actions in
      func connect(_ end: Int32?, to stream: StandardStream, orNullFor mode: Int32) {
        if let end {
          posix_spawn_file_actions_adddup2(&actions, end, stream.descriptor)
        } else {
          posix_spawn_file_actions_addopen(&actions, stream.descriptor, "/dev/null", mode, 0)
        }
      }
      if !inheritsInput { connect(streams.inputEnd, to: .input, orNullFor: O_RDONLY) }
      if output != .inherited {
        connect(streams.output.pipe?.writeEnd, to: .output, orNullFor: O_WRONLY)
      }
      if errors != .inherited {
        connect(streams.errors.pipe?.writeEnd, to: .errors, orNullFor: O_WRONLY)
      }
    }
  }

  /// The shell changes the folder: that of this program belongs to all threads.
  private var startedWords: [String] {
    guard let folder else { return arguments }
    return ["/bin/sh", "-c", #"cd -- "$0" && exec "$@""#, folder] + arguments
  }
}

/// The pipes to and from a child; none blocks another.
private struct ChildStreams {
  struct Reading {
    private(set) var bytes: [UInt8] = []
    /// `nil` after its end, or if the stream is not collected.
    private(set) var pipe: Pipe?

    init(_ destination: ChildProcess.Destination) throws(SystemError) {
      pipe = destination == .collected ? try Pipe(blocksWriter: true) : nil
    }

    /// Reads all available bytes.
    mutating func drain(limit: Int) throws(ChildProcess.Failure) {
      while let pipe {
        switch pipe.read() {
        case .bytes(let chunk): bytes += chunk
        case .endOfStream: self.pipe = nil
        case .wouldBlock: return
        }
        guard bytes.count <= limit else { throw .tooMuchOutput }
      }
    }
  }

  private(set) var output: Reading
  private(set) var errors: Reading
  private var rest: ArraySlice<UInt8>
  private let limit: Int
  /// `nil` if there is nothing left to write.
  private var inputPipe: Pipe?

  init(of process: ChildProcess) throws(SystemError) {
    rest = process.input[...]
    limit = process.outputLimit
    inputPipe = rest.isEmpty ? nil : try Pipe(blocksReader: true)
    output = try Reading(process.output)
    errors = try Reading(process.errors)
  }

  var inputEnd: Int32? { inputPipe?.readEnd }

  /// Closes the child's ends in this process after the child has inherited them.
  func leaveToChild() {
    inputPipe?.closeReadEnd()
    output.pipe?.closeWriteEnd()
    errors.pipe?.closeWriteEnd()
  }

  mutating func run(
    on loop: EventLoop,
    until deadline: EventLoop.Instant,
    or end: ProcessEnd
  ) async throws(ChildProcess.Failure) {
    var hasEnded = false
    while !hasEnded {
      feed()
      do {
        hasEnded = try await loop.wait(for: interests(end), until: deadline) == 0
      } catch {
        throw error == .timedOut ? .timedOut : .cancelled
      }
      try output.drain(limit: limit)
      try errors.drain(limit: limit)
    }
  }

  /// The descriptors to wait for, the end of the child first.
  private func interests(_ end: ProcessEnd) -> [EventLoop.Interest] {
    var interests = [EventLoop.Interest.readable(end.descriptor)]
    if let inputPipe { interests.append(.writable(inputPipe.writeEnd)) }
    if let pipe = output.pipe { interests.append(.readable(pipe.readEnd)) }
    if let pipe = errors.pipe { interests.append(.readable(pipe.readEnd)) }
    return interests
  }

  /// It is not an error if the child does not read its input.
  private mutating func feed() {
    while let pipe = inputPipe {
      guard !rest.isEmpty else {
        inputPipe = nil
        return
      }
      switch pipe.write(rest) {
      case .written(let count): rest = rest.dropFirst(count)
      case .wouldBlock: return
      case .readerClosed: inputPipe = nil
      }
    }
  }
}

private struct RunningChild {
  let id: pid_t

  /// How long a program may take to restore the terminal.
  private static let timeout = Duration.milliseconds(500)

  /// Asks the program to exit, and waits until it has exited or the time limit has passed.
  func askToEnd(on loop: EventLoop) async {
    kill(id, SIGTERM)
    guard let end = try? ProcessEnd(of: self) else { return }
    // The current task may already be cancelled.
    await Task(executorPreference: loop) {
      _ = try? await loop.wait(
        for: [.readable(end.descriptor)],
        until: loop.now + Self.timeout
      )
    }
    .value
  }

  /// Waits for the exit status: 128 plus the signal number if a signal ended the program.
  func reap() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}

/// The end of a child process as a descriptor for the loop: `pidfd_open` of Linux 5.3.
private final class ProcessEnd: Sendable {
  /// Readable when the process has exited.
  let descriptor: Int32

  private typealias SystemCall = @convention(c) (Int, Int, Int) -> Int

  /// The system call number, the same on all architectures.
  private static let pidfdOpen = 434

  init(of child: RunningChild) throws(SystemError) {
    // syscall(2) is variadic, so Swift does not import it.
    let call = dlsym(nil, "syscall").map { unsafeBitCast($0, to: SystemCall.self) }
    descriptor = Int32(truncatingIfNeeded: call?(Self.pidfdOpen, Int(child.id), 0) ?? -1)
    guard descriptor >= 0 else { throw SystemError("pidfd_open") }
  }

  deinit {
    close(descriptor)
  }
}
