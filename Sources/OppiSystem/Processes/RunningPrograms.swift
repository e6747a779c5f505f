// SPDX-License-Identifier: MIT

/// The programs that run now, by proc(5), which may show those of other users or not.
package struct RunningPrograms: Sendable {
  /// One of them.
  package struct Process: Sendable, Equatable {
    package var id: Int32
    /// The first 15 bytes of its program's name.
    package var name: String
  }

  private let files: FileStore

  package init(files: FileStore) {
    self.files = files
  }

  /// Whether those of other users are seen.
  package var areAllSeen: Bool { read("comm", of: 1) != nil }

  /// Returns the first of some names of which a program runs.
  package func first(of names: [String]) -> Process? {
    let numbers = ((try? files.names(in: "/proc")) ?? []).compactMap(Int32.init).sorted()
    let running = numbers.compactMap { number -> Process? in
      guard let bytes = read("comm", of: number) else { return nil }
      let name = bytes.prefix { $0 != UInt8(ascii: "\n") }
      return Process(id: number, name: String(decoding: name, as: UTF8.self))
    }
    return names.lazy.compactMap { name in running.first { $0.name == name } }.first
  }

  /// Returns the variables that a program was started with; `nil` where it does not let them be seen.
  package func variables(of process: Process) -> [String: String]? {
    read("environ", of: process.id).map { bytes in
      ProcessEnvironment.variables(in: bytes.split(separator: 0))
    }
  }

  private func read(_ name: String, of number: Int32) -> [UInt8]? {
    (try? files.read("/proc/\(number)/\(name)", privacy: .untrusted)).flatMap(\.self)
  }
}
