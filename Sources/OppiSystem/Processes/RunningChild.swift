// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

/// A program that this one has started and waits for.
struct RunningChild: Sendable {
  let id: pid_t

  /// How long a program may take to give the terminal back.
  private static let patience = Duration.milliseconds(500)

  /// Asks the program to end, and returns once it has, or had the time to.
  func askToEnd(on loop: EventLoop) async {
    kill(id, SIGTERM)
    guard let end = try? ProcessEnd(of: self) else { return }
    // The task itself may be cancelled by now.
    await Task(executorPreference: loop) {
      _ = try? await loop.wait(
        for: [.readable(end.descriptor)],
        until: loop.now + Self.patience
      )
    }
    .value
  }

  /// Takes the status of a program that has ended, or is about to: 128 and the signal's number where
  /// it was ended by one.
  func reap() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}

/// The end of a child process as something that a loop can wait for: `pidfd_open` of Linux 5.3.
final class ProcessEnd: Sendable {
  /// Readable once the process has ended.
  let descriptor: Int32

  private typealias SystemCall = @convention(c) (Int, Int, Int) -> Int

  /// The number of the call, the same on all machines.
  private static let pidfdOpen = 434

  init(of child: RunningChild) throws(SystemError) {
    // syscall(2) has a variable number of arguments, which Swift does not show.
    let call = dlsym(nil, "syscall").map { unsafeBitCast($0, to: SystemCall.self) }
    descriptor = Int32(truncatingIfNeeded: call?(Self.pidfdOpen, Int(child.id), 0) ?? -1)
    guard descriptor >= 0 else { throw SystemError("pidfd_open") }
  }

  deinit {
    close(descriptor)
  }
}
