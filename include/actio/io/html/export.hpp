// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JavaScript of to_html: saves the view as a picture or as a video.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_export = R"js(
// Draws the view, as large as fits, with its background and some lines of text on a canvas.
function compose(canvas, view, lines, dark) {
  const pen = canvas.getContext('2d'), { width, height } = canvas, scale = Math.min(width / view.width, height / view.height);
  const [wide, high] = [view.width * scale, view.height * scale], size = Math.max(Math.round(height / 40), 12);
  const background = pen.createLinearGradient(0, 0, 0, height);
  [dark ? '#2a3341' : '#ffffff', dark ? '#10141b' : '#dde3ec'].forEach((colour, k) => background.addColorStop(k, colour));
  pen.fillStyle = background;
  pen.fillRect(0, 0, width, height);
  pen.drawImage(view, (width - wide) / 2, (height - high) / 2, wide, high);
  pen.fillStyle = dark ? '#e8ebf0' : '#1c2330';
  pen.font = size + 'px ' + getComputedStyle(document.body).fontFamily;
  lines.forEach((line, k) => pen.fillText(line, size, 1.4 * size * (k + 1), width - 2 * size));
}

function save_file(blob, name) {
  const link = document.createElement('a');
  Object.assign(link, { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Returns why this browser cannot record videos; empty if it can.
function video_trouble() {
  const can_record = window.MediaRecorder && HTMLCanvasElement.prototype.captureStream;
  if (!can_record) return 'This browser cannot record videos: it has no MediaRecorder.';
  return video_type() ? '' : 'This browser cannot record videos in the WebM format.';
}
const video_type = () => ['vp9', 'vp8'].map((codec) => 'video/webm;codecs=' + codec).find((type) => MediaRecorder.isTypeSupported(type));

// Records a video from pictures as they arrive.
class Video {
  // @param done is called with the video as a Blob, or with null and an error.
  constructor({ width, height }, done) {
    this.canvas = Object.assign(document.createElement('canvas'), { width: width & ~1, height: height & ~1 });
    this.canvas.getContext('2d');  // without a context there is no stream
    const parts = [], stream = this.canvas.captureStream(60);
    this.recorder = new MediaRecorder(stream, { mimeType: video_type(), videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = ({ data }) => parts.push(data);
    this.recorder.onerror = ({ error }) => done(null, error ?? new Error('unknown reason'));
    this.recorder.onstop = () => done(new Blob(parts, { type: 'video/webm' }));
    this.recorder.start();
  }
  stop() { if (this.recorder.state !== 'inactive') this.recorder.stop(); }
}
)js";

}  // namespace actio::detail
