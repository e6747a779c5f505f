// SPDX-License-Identifier: MIT

import EventLoop

/// The pipes to and from a child; none blocks another.
struct ChildStreams: Sendable {
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  private var rest: ArraySlice<UInt8>
  private let limit: Int
  /// `nil` if there is nothing left to write.
  private var inputPipe: Pipe?
  private let outputPipe: Pipe
  private let errorPipe: Pipe?
  private var isOutputOpen = true
  private var areErrorsOpen: Bool

  init(input: [UInt8], collectsErrors: Bool, limit: Int) throws(SystemError) {
    rest = input[...]
    self.limit = limit
    inputPipe = input.isEmpty ? nil : try Pipe(blocksReader: true)
    outputPipe = try Pipe(blocksWriter: true)
    errorPipe = collectsErrors ? try Pipe(blocksWriter: true) : nil
    areErrorsOpen = collectsErrors
  }

  var inputEnd: Int32? { inputPipe?.readEnd }
  var outputEnd: Int32 { outputPipe.writeEnd }
  var errorEnd: Int32? { errorPipe?.writeEnd }

  /// Closes the child's ends in this process after the child has inherited them.
  func leaveToChild() {
    inputPipe?.closeReadEnd()
    outputPipe.closeWriteEnd()
    errorPipe?.closeWriteEnd()
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
      if isOutputOpen { isOutputOpen = try drain(outputPipe, into: \.output) }
      if areErrorsOpen, let errorPipe { areErrorsOpen = try drain(errorPipe, into: \.errors) }
    }
  }

  /// The descriptors to wait for, the end of the child first.
  private func interests(_ end: ProcessEnd) -> [EventLoop.Interest] {
    var interests = [EventLoop.Interest.readable(end.descriptor)]
    if let inputPipe { interests.append(.writable(inputPipe.writeEnd)) }
    if isOutputOpen { interests.append(.readable(outputPipe.readEnd)) }
    if areErrorsOpen, let errorPipe { interests.append(.readable(errorPipe.readEnd)) }
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
      case .readerGone: inputPipe = nil
      }
    }
  }

  /// Reads all available bytes; returns false at the end.
  private mutating func drain(
    _ pipe: Pipe,
    into bytes: WritableKeyPath<ChildStreams, [UInt8]>
  ) throws(ChildProcess.Failure) -> Bool {
    while true {
      switch pipe.read() {
      case .bytes(let chunk): self[keyPath: bytes] += chunk
      case .endOfStream: return false
      case .wouldBlock: return true
      }
      guard self[keyPath: bytes].count <= limit else { throw .tooMuchOutput }
    }
  }
}
