// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Testing

@testable import OppiSystem

/// A terminal whose other end is controlled by the test.
final class PseudoTerminal: Sendable {
  let primary: Int32
  let secondary: Int32

  init() throws {
    var (primary, secondary): (Int32, Int32) = (-1, -1)
    try #require(openpty(&primary, &secondary, nil, nil, nil) == 0)
    FileDescriptor.prepare(primary)
    (self.primary, self.secondary) = (primary, secondary)
  }

  deinit {
    close(primary)
    close(secondary)
  }

  var modes: Modes {
    var modes = termios()
    tcgetattr(secondary, &modes)
    return Modes(modes)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(write(primary, bytes, bytes.count) == bytes.count)
  }

  /// The output since the last call.
  func output() -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(primary, &chunk, chunk.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(primary, UInt(TIOCSWINSZ), &size) == 0)
  }

  /// The relevant modes of a terminal.
  struct Modes: Equatable {
    var input: tcflag_t
    var output: tcflag_t
    var local: tcflag_t
    var characters: [UInt8]

    init(_ modes: termios) {
      (input, output, local) = (modes.c_iflag, modes.c_oflag, modes.c_lflag)
      characters = withUnsafeBytes(of: modes.c_cc) { Array($0) }
    }

    var isRaw: Bool { local & tcflag_t(ECHO | ICANON | ISIG | IEXTEN) == 0 }
    var mapsReturn: Bool { input & tcflag_t(ICRNL) != 0 }
    var processesOutput: Bool { output & tcflag_t(OPOST) != 0 }
  }
}

/// Signal handling for tests that run in their own process.
enum Signals {
  /// Unblocks signals in the calling thread; the threads of other tests block them.
  static func unblock() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Makes the process a job that a shell script continues after it has stopped.
  ///
  /// - Parameter script: Commands to run while the job is stopped.
  /// - Returns: Whether the job and the script were started.
  static func continueOnceStopped(_ script: String = "") -> Bool {
    unblock()
    guard setpgid(0, 0) == 0 else { return false }
    let whole = """
      job=\(getpid())
      stops=0
      for try in $(seq 1000); do
        case $(sed -n 's/^State:.//p' /proc/$job/status) in
          T*)
            # A second stop would last for ever.
            [ $((stops += 1)) = 1 ] || kill -KILL $job
            \(script)
            kill -CONT -$job ;;
          Z* | "") exit ;;
        esac
        sleep 0.01
      done
      """
    let words = ["/bin/sh", "-c", whole]
    return (try? Program.spawn(words, flags: POSIX_SPAWN_SETPGROUP) { _ in }) != nil
  }
}
