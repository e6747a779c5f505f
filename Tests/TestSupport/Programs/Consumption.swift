// SPDX-License-Identifier: MIT

package import Foundation
import Synchronization

/// The memory and the processor time of the program that runs in a home, measured from outside.
///
/// The kernel's own record, `rusage`, includes the memory of the process that started the program.
package final class Consumption: Sendable {
  package struct Measures: Sendable, CustomStringConvertible {
    /// The largest resident size, in MB.
    package var peak = 0.0
    package var processorTime = 0.0
    /// The time between the first and the last measurement.
    package var wallTime = 0.0

    package var description: String {
      String(format: "%.0f MB, %.2f s of %.2f s", peak, processorTime, wallTime)
    }
  }

  private static let interval = 0.01
  private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

  private struct State {
    var measures = Measures()
    var begin: Date?
    var isOver = false
  }

  private let state = Mutex(State())

  /// Measures until ``end()`` the programs with an executable and a working folder.
  package init(of executable: String, in folder: URL) {
    let (executable, folder) = (Self.real(executable), Self.real(folder.path))
    Thread.detachNewThread { [weak self] in
      var process: Int?
      while let self, !self.state.withLock(\.isOver) {
        process = process ?? Self.find(executable, in: folder)
        if let found = process, !self.measure(found) { process = nil }
        Thread.sleep(forTimeInterval: Self.interval)
      }
    }
  }

  package func end() -> Measures {
    state.withLock { state in
      state.isOver = true
      return state.measures
    }
  }

  private static func real(_ path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().path
  }

  private static func find(_ executable: String, in folder: String) -> Int? {
    let files = FileManager.default
    let all = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
    func link(_ name: String, of process: Int) -> String? {
      try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/\(name)")
    }
    return all.lazy.compactMap { Int($0) }.first { process in
      link("cwd", of: process) == folder && link("exe", of: process) == executable
    }
  }

  /// Takes the values of a process; false if it is over.
  private func measure(_ process: Int) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let peak = status.firstMatch(of: /VmHWM:\s*(\d+) kB/).flatMap({ Double($0.1) }),
      let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    else { return false }
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return false
    }
    state.withLock { state in
      let begin = state.begin ?? Date()
      state.begin = begin
      state.measures.peak = max(state.measures.peak, peak / 1024)
      let time = (user + system) / Self.ticksPerSecond
      state.measures.processorTime = max(state.measures.processorTime, time)
      state.measures.wallTime = Date().timeIntervalSince(begin)
    }
    return true
  }
}

/// A sanitizer needs memory and time of its own.
package let isSanitized = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
  ProcessInfo.processInfo.environment[$0] != nil
}
