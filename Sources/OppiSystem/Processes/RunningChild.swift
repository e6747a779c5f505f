// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

struct RunningChild: Sendable {
  let id: pid_t

  /// How long a program may take to restore the terminal.
  private static let patience = Duration.milliseconds(500)

  /// Asks the program to exit, and waits until it has exited or the time limit has passed.
  func askToEnd(on loop: EventLoop) async {
    kill(id, SIGTERM)
    guard let end = try? ProcessEnd(of: self) else { return }
    // The current task may already be cancelled.
    await Task(executorPreference: loop) {
      _ = try? await loop.wait(
        for: [.readable(end.descriptor)],
        until: loop.now + Self.patience
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
final class ProcessEnd: Sendable {
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
