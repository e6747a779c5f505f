// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite struct FileFaultsTests {
  private let faults = FileFaults()

  private func note(_ error: FileError) -> Int {
    faults.note(error)
    return faults.take().count
  }

  @Test("each file is reported once, also after it was reported")
  func once() {
    for path in ["/a/x", "/a/y", "/b/x"] {
      let error = FileError.unsafeMode(path: path, mode: 0o644, needed: "600")
      #expect(note(error) == 1, "\(path)")
      #expect(note(error) == 0, "\(path)")
    }
  }

  @Test("a folder that cannot be written is reported once for each cause")
  func folders() {
    let (full, denied) = (SystemError("write", code: ENOSPC), SystemError("open", code: EACCES))
    #expect(note(.cannotWrite(path: "/a/x", full)) == 1)
    #expect(note(.cannotCreate(path: "/a/y", full)) == 0)
    #expect(note(.cannotCreate(path: "/a/y", denied)) == 1)
    #expect(note(.cannotWrite(path: "/b/x", full)) == 1)
  }

  @Test("a lock that another process holds is no fault")
  func locks() {
    #expect(note(.lockHeld(path: "/a/x")) == 0)
  }

  @Test("the number of files is bounded")
  func bounded() {
    for number in 1...1000 { faults.note(.foreign(path: "/a/\(number)")) }
    #expect(faults.take().count == 200)
  }

  @Test("a failed attempt has no value and is noted; one that succeeds is not")
  func attempts() async throws {
    let files = try FileStore.forTests()
    let error = FileError.foreign(path: "/a/x")
    #expect(files.attempt { () throws(FileError) in 1 } == 1)
    #expect(files.faults.take().isEmpty)
    #expect(files.attempt { () throws(FileError) -> Int in throw error } == nil)
    #expect(files.faults.take() == [.init(error: error, isReplaced: false)])
  }
}
